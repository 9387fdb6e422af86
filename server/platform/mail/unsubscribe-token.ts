import { z } from 'zod';
import { UnsubscribeScope } from '../../../contracts/accounts/mail-preferences.ts';
import { equalInConstantTime, keyedHash } from '../lib/tokens.ts';

/** What a link at the foot of a mail may end, and for whom. */
export type Unsubscribing = {
  /** The address the mail went to. */
  email: string;
  scope: UnsubscribeScope;
  /** Whose notices these are; absent for `transfers`, which an address alone may refuse. */
  userId?: string;
};

const PURPOSE = 'unsubscribe';
const SIGNATURE_LENGTH = 43;
const Payload = z.tuple([z.string(), UnsubscribeScope, z.string().optional()]);

/**
 * A token that only this installation can have made, safe in a URL. It never expires: the way out of a mail
 * must work as long as the mail is kept.
 */
export function signUnsubscribe(
  { secret }: { secret: string },
  { email, scope, userId }: Unsubscribing,
): string {
  const payload = Buffer.from(JSON.stringify(userId === undefined ? [email, scope] : [email, scope, userId]));
  const body = payload.toString('base64url');
  return keyedHash(secret, PURPOSE, body) + body;
}

/** What the token ends, or undefined when it is not one of ours. */
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
