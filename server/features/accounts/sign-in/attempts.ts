import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { AttemptStage } from '../../../platform/db/schema/accounts.ts';
import type { SignInAttemptRow } from '../../../platform/db/schema.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';

type NewAttempt = {
  stage: AttemptStage;
  userId: string | null;
  challenge?: string;
  /** Milliseconds. */
  lifetime: number;
};

/** Records a sign-in that is under way and returns its token; only the token's hash is stored. */
export async function startAttempt(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { stage, userId, challenge, lifetime }: NewAttempt,
): Promise<string> {
  const token = randomId();
  const now = clock.now();
  await db
    .insertInto('signInAttempts')
    .values({
      id: randomId(),
      tokenHash: hashToken(token),
      stage,
      userId,
      challenge: challenge ?? null,
      createdAt: now,
      expiresAt: now + lifetime,
    })
    .execute();
  return token;
}

type Wanted = {
  token: string;
  stage: AttemptStage;
  /** If given, the attempt must have begun with it. */
  challenge?: string;
};

export async function findAttempt(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { token, stage }: Wanted,
): Promise<SignInAttemptRow | undefined> {
  return db
    .selectFrom('signInAttempts')
    .selectAll()
    .where('tokenHash', '=', hashToken(token))
    .where('stage', '=', stage)
    .where('expiresAt', '>', clock.now())
    .executeTakeFirst();
}

/** Uses up an attempt: of several parallel calls, one gets it. */
export async function claimAttempt(
  { db, clock }: Pick<Context, 'clock'> & { db: Db },
  { token, stage, challenge }: Wanted,
): Promise<SignInAttemptRow | undefined> {
  return db
    .deleteFrom('signInAttempts')
    .where('tokenHash', '=', hashToken(token))
    .where('stage', '=', stage)
    .where('expiresAt', '>', clock.now())
    .$if(challenge !== undefined, (query) => query.where('challenge', '=', challenge!))
    .returningAll()
    .executeTakeFirst();
}

/** Voids the links mailed to an address. Links that create an account keep the address as it was typed. */
export async function deleteLinksOf(trx: Trx, emailKey: string): Promise<void> {
  const user = trx.selectFrom('users').select('id').where('emailKey', '=', emailKey);
  await trx.deleteFrom('signInAttempts').where('stage', '=', 'link').where('userId', 'in', user).execute();
}

export async function deleteSecondFactorAttemptsOf(trx: Trx, userId: string): Promise<void> {
  await trx
    .deleteFrom('signInAttempts')
    .where('stage', '=', 'second-factor')
    .where('userId', '=', userId)
    .execute();
}

export async function deleteAttemptsOf(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('signInAttempts').where('userId', '=', userId).execute();
}
