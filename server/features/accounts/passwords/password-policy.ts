import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { domainToUnicode } from 'node:url';
import { SHORT_COMMON_PASSWORDS } from '../../../../contracts/accounts/short-passwords.ts';
import { ADMIN_PASSWORD_MIN } from '../../../../contracts/plans/limits.ts';
import { fillPlaceholders } from '../../../../contracts/values/placeholders.ts';
import type { Context } from '../../../context.ts';
import { msg } from '../../../platform/language/marker.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { hasSortedLine } from '../../../platform/lib/sorted-hash-file.ts';
import { getSignInPolicy } from '../sign-in/policy.ts';

const STRICT_MIN_LENGTH = 8;
/** Shorter names occur in many strong passwords by chance. */
const MIN_WORD_LENGTH = 4;
const PRODUCT = 'sendwell';

/** `isAdmin`: 1 (of a row) or true. */
type Person = { name?: string; username?: string; email?: string; isAdmin?: boolean | number };

type PolicyDeps = Pick<Context, 'config' | 'db' | 'clock'>;

/**
 * Requires the length that the administrator chose (12 for administrators) and what `findWeakness` requires. Throws
 * AppError `invalid_input` with a sentence at `field`.
 */
export async function requireGoodPassword(
  deps: PolicyDeps,
  { password, person, field = 'password' }: { password: string; person: Person; field?: string },
): Promise<void> {
  const { passwordMinLength } = await getSignInPolicy(deps);
  const min = person.isAdmin ? Math.max(ADMIN_PASSWORD_MIN, passwordMinLength) : passwordMinLength;
  const message =
    countCharacters(password) < min
      ? describeMinimum(min, person)
      : await findWeakness(deps, password, person);
  if (message) throw new AppError('invalid_input', { message, errors: { [field]: message } });
}

function describeMinimum(min: number, { isAdmin }: Person): string {
  return isAdmin
    ? fillPlaceholders(msg('Administrators need a password of at least {min} characters.'), { min })
    : `Please use at least ${min} characters.`;
}

/**
 * Returns why a password is refused, as a sentence. The most common passwords and the person's own name, username or
 * address are always refused; `PASSWORD_POLICY=strict` refuses more.
 */
export async function findWeakness(
  { config }: Pick<Context, 'config'>,
  password: string,
  person: Person,
): Promise<string | undefined> {
  const plain = password.toLowerCase();
  const isStrict = config.passwordPolicy === 'strict';
  if (isStrict && countCharacters(password) < STRICT_MIN_LENGTH)
    return `Please use at least ${STRICT_MIN_LENGTH} characters.`;
  if (SHORT_COMMON_PASSWORDS.has(plain) || (await readCommonPasswords()).has(plain))
    return msg('This is one of the most common passwords. Please choose another one.');
  if (isOwnName(plain, person))
    return msg('This is your own name, username or address. Please choose another password.');
  if (!isStrict) return undefined;
  if (
    config.breachedPasswordsFile !== undefined &&
    (await isBreached(password, config.breachedPasswordsFile))
  )
    return msg('This password is known from a data breach. Please choose another one.');
  const words = [...wordsOf(person), ...wordsOfSite(config.publicUrl)];
  const found = words.filter((word) => plain.includes(word));
  if (found.length === 0 || countCharacters(without(plain, found)) >= STRICT_MIN_LENGTH) return undefined;
  return (
    'This password consists mostly of your name, your address or the name of this site. ' +
    `Without those words it needs at least ${STRICT_MIN_LENGTH} characters.`
  );
}

function isOwnName(plain: string, { name = '', username = '', email = '' }: Person): boolean {
  const own = [name, name.replace(/\s+/g, ''), username, email, email.slice(0, email.lastIndexOf('@'))];
  return own.some((each) => each.toLowerCase() === plain);
}

function wordsOf({ name = '', username = '', email = '' }: Person): string[] {
  return [username, ...splitWords(username), ...splitWords(name), ...splitWords(email)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH);
}

function wordsOfSite(publicUrl: string): string[] {
  const host = domainToUnicode(new URL(publicUrl).hostname);
  return [PRODUCT, ...splitWords(host)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH);
}

function splitWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u);
}

/** Removes the longest words first, because one word may contain another. */
function without(text: string, words: string[]): string {
  return [...words]
    .sort((one, other) => other.length - one.length)
    .reduce((rest, word) => rest.replaceAll(word, ''), text);
}

function countCharacters(text: string): number {
  return [...text].length;
}

/** SHA-1 because the published lists use it; nothing relies on its strength. */
function isBreached(password: string, file: string): Promise<boolean> {
  return hasSortedLine(file, createHash('sha1').update(password).digest('hex').toUpperCase());
}

let commonPasswords: Promise<Set<string>> | undefined;

/** Cached after the first use (about 1 MB). */
function readCommonPasswords(): Promise<Set<string>> {
  commonPasswords ??= readFile(new URL('common-passwords.txt', import.meta.url), 'utf8').then(
    (text) => new Set(text.split('\n-----\n')[1]!.trim().split('\n')),
  );
  return commonPasswords;
}
