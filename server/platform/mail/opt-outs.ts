import { z } from 'zod';
import { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import type { Db, Trx } from '../db/open.ts';
import { equalInConstantTime, keyedHash } from '../lib/tokens.ts';

/** Codes and security mails still arrive. */
export async function addOptOut(db: Db | Trx, email: string, now: number): Promise<void> {
  await db
    .insertInto('mailOptOuts')
    .values({ emailKey: toKey(email), createdAt: now })
    .onConflict((conflict) => conflict.column('emailKey').doNothing())
    .execute();
}

export async function removeOptOut(db: Db | Trx, email: string): Promise<void> {
  await db.deleteFrom('mailOptOuts').where('emailKey', '=', toKey(email)).execute();
}

export async function hasOptedOut(db: Db | Trx, email: string): Promise<boolean> {
  return (await findOptOut(db, email)) !== undefined;
}

export async function findOptOut(db: Db | Trx, email: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('mailOptOuts')
    .select('createdAt')
    .where('emailKey', '=', toKey(email))
    .executeTakeFirst();
  return row?.createdAt;
}

function toKey(email: string): string {
  return email.toLowerCase();
}

export type Unsubscribing = {
  email: string;
  scope: UnsubscribeScope;
  /** Absent for `transfers`, which needs only an address. */
  userId?: string;
};

const PURPOSE = 'unsubscribe';
const SIGNATURE_LENGTH = 43;
const Payload = z.tuple([z.string(), UnsubscribeScope, z.string().optional()]);

/** Never expires, because the unsubscribe link must work for as long as the mail exists. */
export function signUnsubscribe(
  { secret }: { secret: string },
  { email, scope, userId }: Unsubscribing,
): string {
  const payload = Buffer.from(JSON.stringify(userId === undefined ? [email, scope] : [email, scope, userId]));
  const body = payload.toString('base64url');
  return keyedHash(secret, PURPOSE, body) + body;
}

/** Undefined when the signature is invalid. */
export function readUnsubscribe(
  { secret, previousSecret }: { secret: string; previousSecret?: string | undefined },
  token: string,
): Unsubscribing | undefined {
  const [signature, body] = [token.slice(0, SIGNATURE_LENGTH), token.slice(SIGNATURE_LENGTH)];
  const isOurs = (key: string) => equalInConstantTime(signature, keyedHash(key, PURPOSE, body));
  if (!isOurs(secret) && !(previousSecret !== undefined && isOurs(previousSecret))) return undefined;
  const [email, scope, userId] = Payload.parse(JSON.parse(Buffer.from(body, 'base64url').toString()));
  return userId === undefined ? { email, scope } : { email, scope, userId };
}
