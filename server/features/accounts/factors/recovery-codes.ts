import type { FastifyRequest } from 'fastify';
import { RECOVERY_CODES } from '../../../../contracts/accounts/sign-in/factors.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';
import type { MailReader } from '../../../platform/mail/wording.ts';
import { createAlertLink } from '../events/account-alerts.ts';
import { recordAccountEvent } from '../events/events.ts';
import { lockAccount } from '../users/user-queries.ts';
import { enqueueFactorMail, enqueueRecoveryCodeMail } from './factor-mails.ts';
import { countRecoveryCodes, deleteRecoveryCodes } from './recovery-code-queries.ts';
import type { VerifiedFactor } from './verified-factor.ts';

/**
 * 80 bits, because the alphabet of `randomId` has 32 characters. Enough for a hash without a key, so that the codes
 * outlive SESSION_SECRET and sign in when authenticator apps no longer can.
 */
const CODE_LENGTH = 16;

type InTransaction = Pick<Context, 'clock'> & { db: Trx };

/**
 * Makes the codes with the first factor of an account; undefined if there are some already. The caller's transaction
 * must hold the user's row lock.
 */
export async function issueRecoveryCodesIfNone(
  deps: InTransaction,
  userId: string,
): Promise<string[] | undefined> {
  const some = await deps.db
    .selectFrom('recoveryCodes')
    .select('id')
    .where('userId', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return some ? undefined : issueRecoveryCodes(deps, userId);
}

/** Replaces all codes of a user. Only their hashes are stored. Throws AppError `no_second_factor`. */
export async function renewRecoveryCodes(
  context: Context,
  userId: string,
  request: FastifyRequest,
): Promise<string[]> {
  return transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockAccount(trx, userId);
    if (!user?.hasSecondFactor) throw new AppError('no_second_factor');
    const codes = await issueRecoveryCodes(deps, userId);
    await recordAccountEvent(deps, { userId, kind: 'recovery-codes-created', request });
    const secureUrl = await createAlertLink(deps, user);
    const createdAt = context.clock.now();
    await enqueueFactorMail(trx, user, { change: 'codes-renewed', secureUrl, createdAt });
    return codes;
  });
}

async function issueRecoveryCodes({ db: trx, clock }: InTransaction, userId: string) {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomId().slice(0, CODE_LENGTH));
  const createdAt = clock.now();
  await deleteRecoveryCodes(trx, userId);
  await trx
    .insertInto('recoveryCodes')
    .values(
      codes.map((code) => ({
        id: randomId(),
        userId,
        codeHash: hashCode(userId, code),
        createdAt,
        usedAt: null,
      })),
    )
    .execute();
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
}

/** Each code counts once; using one is mailed to the owner. Throws AppError `wrong_factor`. */
export async function checkRecoveryCode(
  context: Context,
  user: MailReader,
  { code }: { code: string },
  request: FastifyRequest,
): Promise<VerifiedFactor> {
  const { db, clock, config } = context;
  const known = await db
    .selectFrom('recoveryCodes')
    .select('id')
    .where('userId', '=', user.id)
    .where('codeHash', '=', hashCode(user.id, normalize(code)))
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  if (!known) throw new AppError('wrong_factor');
  return {
    method: 'recovery-code',
    async use(trx) {
      const now = clock.now();
      const used = await trx
        .updateTable('recoveryCodes')
        .set({ usedAt: now })
        .where('id', '=', known.id)
        .where('usedAt', 'is', null)
        .returning('id')
        .executeTakeFirst();
      if (!used) return false;
      await recordAccountEvent({ db: trx, clock }, { userId: user.id, kind: 'recovery-code-used', request });
      const secureUrl = await createAlertLink({ db: trx, clock, config }, user);
      const left = await countRecoveryCodes(trx, user.id);
      await enqueueRecoveryCodeMail(trx, user, { left, secureUrl, createdAt: now });
      return true;
    },
  };
}

/** Accepts what is easily confused when a code is read from paper. */
function normalize(code: string): string {
  return code
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1');
}

function hashCode(userId: string, code: string): string {
  return hashToken(`${userId} ${code}`);
}
