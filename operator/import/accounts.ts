import { Username } from '../../contracts/accounts/accounts.ts';
import { isEmail } from '../../contracts/values/fields.ts';
import type { OperatorContext } from '../../server/context.ts';
import {
  findPerson,
  hashSha1,
  INACTIVE_HASH,
  isUsableHash,
  isUsableSha1,
  UNKNOWN_USER_HASH,
} from '../../server/features/accounts/index.ts';
import type { ImportedAccount } from '../../server/features/imports/index.ts';
import { cleanLine } from './clean-text.ts';
import type { Product, SourcePassword, SourceUser } from './source.ts';

const NAME_MAX = 100;
const USERNAME_MIN = 3;
const USERNAME_MAX = 32;
const NAMES_TRIED = 1_000;

export type AccountOptions = {
  product: Product;
  keepsAdmins: boolean;
  /** Of addresses for users without one. */
  emailDomain: string | undefined;
  isRehearsal: boolean;
};

export type AccountPlan =
  | { kind: 'create'; account: ImportedAccount; isInactive: boolean; notes: string[] }
  | { kind: 'join'; userId: string; note: string }
  | { kind: 'skip'; reason: string };

/** Decides which of another product's users become accounts here, and how. */
export class AccountPlanner {
  readonly #context: Pick<OperatorContext, 'db' | 'clock'>;
  readonly #options: AccountOptions;
  /** Of this run, in lower case. In a rehearsal no account is created, so the database doesn't know them. */
  readonly #usernames = new Set<string>();
  readonly #emails = new Set<string>();

  constructor(context: Pick<OperatorContext, 'db' | 'clock'>, options: AccountOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Of a user who was imported before. Nobody else gets that account. */
  reserve({ email }: SourceUser): void {
    if (email) this.#emails.add(email.trim().toLowerCase());
  }

  async plan(user: SourceUser): Promise<AccountPlan> {
    const email = user.email?.trim();
    if (email && !isEmail(email)) return { kind: 'skip', reason: 'the email address is not valid' };
    if (email && this.#emails.has(email.toLowerCase()))
      return { kind: 'skip', reason: 'another of the users has the same email address' };
    const holder = email ? await findPerson(this.#context, email) : undefined;
    if (holder) return this.#planJoin(user, holder);
    return this.#planAccount(user, email);
  }

  /** An unverified account may belong to somebody who only claims the address. */
  #planJoin(
    user: SourceUser,
    holder: { id: string; emailVerified: 0 | 1; username: string; email: string },
  ): AccountPlan {
    if (holder.emailVerified === 0)
      return {
        kind: 'skip',
        reason:
          'an account here has the same email address, but has not verified it; delete it, or verify it first',
      };
    this.#emails.add(holder.email.toLowerCase());
    const also = user.isAdmin && this.#options.keepsAdmins ? ', which is not made an administrator' : '';
    return {
      kind: 'join',
      userId: holder.id,
      note: `gets the shares in the account ${holder.username}, which has the same email address${also}`,
    };
  }

  async #planAccount(user: SourceUser, email: string | undefined): Promise<AccountPlan> {
    const { keepsAdmins, product, emailDomain } = this.#options;
    const notes: string[] = [];
    const username = await this.#findFreeUsername(user.username);
    if (username === undefined) return { kind: 'skip', reason: 'no similar username is free' };
    if (username.toLowerCase() !== user.username.toLowerCase())
      notes.push(`is named ${username} here, because that username is taken or not allowed`);
    const address = email ?? (await this.#makeAddress(username, emailDomain ?? `${product}.invalid`));
    if (address === undefined)
      return { kind: 'skip', reason: `${username}@${emailDomain} belongs to another account` };
    if (!email && !emailDomain)
      notes.push(`has no email address; ${address} is a placeholder, to be changed in Settings`);
    const { passwordHash, note } = await this.#convertPassword(user);
    if (note) notes.push(note);
    if (!user.isActive) notes.push('is inactive and cannot sign in until an administrator sets a password');
    if (user.isAdmin && !keepsAdmins) notes.push('is an administrator there, but not here (--keep-admins)');
    this.#usernames.add(username.toLowerCase());
    this.#emails.add(address.toLowerCase());
    const account = {
      sourceId: user.id,
      name: cleanLine(user.name, NAME_MAX) || username,
      username,
      email: address,
      passwordHash,
      isAdmin: user.isAdmin && user.isActive && keepsAdmins,
      createdAt: Math.min(user.createdAt ?? Number.POSITIVE_INFINITY, this.#context.clock.now()),
    };
    return { kind: 'create', account, isInactive: !user.isActive, notes };
  }

  async #makeAddress(username: string, domain: string): Promise<string | undefined> {
    const address = `${username}@${domain}`;
    const isTaken = this.#emails.has(address.toLowerCase()) || (await findPerson(this.#context, address));
    return isEmail(address) && !isTaken ? address : undefined;
  }

  async #findFreeUsername(wanted: string): Promise<string | undefined> {
    const base = toUsername(wanted);
    for (let number = 1; number <= NAMES_TRIED; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`;
      const candidate = base.slice(0, USERNAME_MAX - suffix.length) + suffix;
      if (this.#usernames.has(candidate.toLowerCase())) continue;
      if (!(await findPerson(this.#context, candidate))) return candidate;
    }
    return undefined;
  }

  async #convertPassword(user: SourceUser): Promise<{ passwordHash: string; note?: string }> {
    if (!user.isActive) return { passwordHash: INACTIVE_HASH };
    if (user.password.kind === 'none')
      return {
        passwordHash: UNKNOWN_USER_HASH,
        note: 'has no password and can set one with "Forgot password?"',
      };
    const passwordHash = await convertPassword(user.password, this.#options);
    if (passwordHash !== undefined) return { passwordHash };
    const note = 'has a password that cannot be kept, and can set one with "Forgot password?"';
    return { passwordHash: UNKNOWN_USER_HASH, note };
  }
}

/** Returns undefined if it cannot be verified here. A rehearsal needs no SHA-1 hash to be wrapped. */
export async function convertPassword(
  password: Exclude<SourcePassword, { kind: 'none' }>,
  { isRehearsal }: Pick<AccountOptions, 'isRehearsal'>,
): Promise<string | undefined> {
  if (password.kind === 'hash') return isUsableHash(password.hash) ? password.hash : undefined;
  const sha1 = { ...password, digest: password.digest.toLowerCase() };
  if (!isUsableSha1(sha1)) return undefined;
  return isRehearsal ? UNKNOWN_USER_HASH : hashSha1(sha1);
}

/** Keeps what may be in a username; of an address, what is before the @. */
function toUsername(wanted: string): string {
  if (Username.safeParse(wanted).success) return wanted;
  const local = isEmail(wanted) ? wanted.slice(0, wanted.lastIndexOf('@')) : wanted;
  const plain = local
    .normalize('NFKD')
    .replace(/\s+/g, '.')
    .replace(/[^a-z0-9._-]/gi, '')
    .slice(0, USERNAME_MAX);
  return plain.length >= USERNAME_MIN ? plain : `user${plain}`;
}
