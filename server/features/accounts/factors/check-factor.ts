import type { FastifyRequest } from 'fastify';
import type { FactorProof } from '../../../../contracts/accounts/sign-in.ts';
import type { Context } from '../../../context.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { checkRecoveryCode } from './recovery-codes.ts';
import { checkTotp } from './totp.ts';
import type { VerifiedFactor } from './verified-factor.ts';

/** Verifies the proof of a second factor. The caller counts the tries. Throws AppError `wrong_factor`. */
export async function checkFactor(
  context: Context,
  user: UserRow,
  proof: FactorProof,
  request: FastifyRequest,
): Promise<VerifiedFactor> {
  switch (proof.method) {
    case 'totp':
      return checkTotp(context, user, proof);
    case 'recovery-code':
      return checkRecoveryCode(context, user, proof, request);
  }
}
