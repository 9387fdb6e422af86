import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { settleClaims } from '../email/unverified-accounts.ts';
import { UNKNOWN_USER_HASH } from '../passwords/passwords.ts';
import { findUserByKey, insertUser } from './user-queries.ts';
import { newUser } from './users.ts';

const USERNAME_MIN = 3;
const BASE_MAX = 24;
const SUFFIX_LENGTH = 6;

/**
 * Creates a free account without a password for a person who has proved the address. An unverified registration with it
 * is deleted, as after a code (`settleClaims`). Name and username follow from the address. Throws AppError `email_taken`,
 * `username_taken`, and unique violations for `toTakenError`.
 */
export async function insertVerifiedAccount(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  {
    email,
    name,
    language = null,
  }: { email: string; name?: string | undefined; language?: LanguageCode | null },
): Promise<UserRow> {
  const local = email.slice(0, email.lastIndexOf('@'));
  const person = {
    name: name || nameFrom(local),
    username: await findFreeUsername(trx, local),
    email,
    passwordHash: UNKNOWN_USER_HASH,
    language,
  };
  const user = newUser(person, { emailVerified: 1, isAdmin: 0, tier: 'free' }, clock.now());
  const row = { ...user, emailKey: `claim:${user.id}`, isClaiming: 1 as const };
  return settleClaims(trx, await insertUser(trx, row));
}

/** 'jane.doe+files' becomes 'Jane Doe'. */
function nameFrom(local: string): string {
  const words = local
    .replace(/\+.*$/, '')
    .split(/[._-]+/)
    .filter(Boolean);
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ') || local;
}

async function findFreeUsername(trx: Trx, local: string): Promise<string> {
  const base = local
    .toLowerCase()
    .replace(/\+.*$/, '')
    .replace(/[^a-z0-9._-]/g, '')
    .slice(0, BASE_MAX);
  const isFree = base.length >= USERNAME_MIN && !(await findUserByKey(trx, 'usernameKey', base));
  return isFree ? base : `${base || 'user'}-${randomId().slice(0, SUFFIX_LENGTH)}`;
}
