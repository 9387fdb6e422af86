import type { FastifyRequest } from 'fastify';
import type { FactorProof } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import type { Context } from '../../../context.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { readAttemptToken } from '../sign-in/sessions/cookies.ts';
import { checkPasskey } from './passkeys/assertions.ts';
import { checkRecoveryCode } from './recovery-codes.ts';
import { checkTotp } from './totp.ts';
import type { VerifiedFactor } from './verified-factor.ts';

export type FactorPurpose = {
  user: UserRow;
  /** What the passkey was requested for. */
  stage: 'passkey-factor' | 'passkey-confirmation';
};

/**
 * Verifies the proof of a second factor. The caller counts the tries. Throws AppError `wrong_factor` and
 * `passkey_expired`.
 */
export async function checkFactor(
  context: Context,
  { user, stage }: FactorPurpose,
  proof: FactorProof,
  request: FastifyRequest,
): Promise<VerifiedFactor> {
  switch (proof.method) {
    case 'passkey': {
      const browser = readAttemptToken(context, request, 'sendwell_passkey');
      return checkPasskey(context, { stage, userId: user.id, browser }, proof.response, request);
    }
    case 'totp':
      return checkTotp(context, user, proof);
    case 'recovery-code':
      return checkRecoveryCode(context, user, proof, request);
  }
}
