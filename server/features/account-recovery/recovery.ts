import type { FastifyRequest } from 'fastify';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { hashToken } from '../../platform/lib/tokens.ts';
import {
  deleteFactorsAddedSince,
  endAccess,
  findUser,
  hashPassword,
  lockAccount,
  recordAccountEvent,
  recordSignIn,
  replacePassword,
  requireGoodPassword,
  requireMaySignInWithoutSso,
  toTakenError,
  UNKNOWN_USER_HASH,
  unlinkIdentitiesAddedSince,
  updateUser,
} from '../accounts/index.ts';
import { disableKeysOf } from '../api-keys/index.ts';
import { disableWebhooksOf } from '../webhooks/index.ts';
import { mailResetLink } from './password-resets.ts';
import {
  deleteAccountAlert,
  deleteEmailChange,
  deleteNewerEmailChanges,
  deletePasswordReset,
  type EmailChange,
  findAccountAlert,
  findEmailChange,
  findEmailChangeSince,
  findPasswordReset,
  listEmailChanges,
} from './queries.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

/**
 * Sets a new password with the token of a mailed link. The link proves the address, so the address counts as verified.
 * Ends all sessions and disables API keys and webhooks. Only one of several parallel calls with the same token
 * succeeds. Throws AppError `link_void` (unknown, expired, used), `sso_required`, `invalid_input` (the policy refuses the password;
 * the link stays valid) and `unavailable`.
 */
export async function confirmPasswordReset(
  context: Context,
  { token, password }: { token: string; password: string },
  request: FastifyRequest,
): Promise<void> {
  const reset = await findPasswordReset(context.db, hashToken(token), context.clock.now());
  if (!reset) throw new AppError('link_void');
  request.accountId = reset.userId;
  const owner = await findUser(context.db, reset.userId);
  if (owner) await requireMaySignInWithoutSso(context, owner);
  const person = owner ?? {};
  await requireGoodPassword(context, { password, person });
  const passwordHash = await hashPassword(password, { lane: 'sign-in', account: reset.userId });
  await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockAccount(trx, reset.userId);
    if (!user || !(await deletePasswordReset(trx, reset.id))) throw new AppError('link_void');
    await endAccess(trx, user.id);
    await voidLaterUndos(deps, user);
    await disableAccess(deps, user, 'password-reset');
    await replacePassword(deps, user, { passwordHash, emailVerified: 1 });
    await recordAccountEvent(deps, { userId: user.id, kind: 'password-reset', request });
    await recordSignIn(deps, user, request);
  });
}

/**
 * Undoes an email change, and all later ones, with the token mailed to the old address. The mail proves the old
 * address, so it counts as verified. Voids the password, because the attacker may know it, and mails a reset link to
 * the old address. Ends all sessions and disables API keys and webhooks. Returns the user's id. Throws AppError
 * `link_void` (unknown, expired, used), and `email_taken` when another account has the address by now.
 */
export function undoEmailChange(context: Context, token: string, request: FastifyRequest): Promise<string> {
  return recover(context, async (deps) => {
    const change = await findEmailChange(deps.db, hashToken(token), deps.clock.now());
    const user = change && (await lockAccount(deps.db, change.userId));
    if (!user || !(await deleteEmailChange(deps.db, change.id))) throw new AppError('link_void');
    const restored = await restoreEmail(deps.db, change);
    await voidPassword(deps, restored);
    await deleteFactorsAddedSince(deps.db, restored.id, change.createdAt);
    await unlinkIdentitiesAddedSince(deps.db, restored.id, change.createdAt);
    await disableAccess(deps, restored, 'email-undone');
    await recordAccountEvent(deps, { userId: restored.id, kind: 'email-change-undone', request });
    return restored.id;
  });
}

/**
 * Secures an account with the "This wasn't me" link of a security mail: ends all sessions, voids the password,
 * disables API keys and webhooks, deletes the factors and linked identities added since, and mails a reset link.
 * Undoes an email change made since that mail was sent, so that the reset link goes to the same mailbox. Returns the
 * user's id. Throws AppError `link_void` (unknown, expired, used) and `email_taken`.
 */
export function secureAccount(context: Context, token: string, request: FastifyRequest): Promise<string> {
  return recover(context, async (deps) => {
    const { db: trx, clock } = deps;
    const now = clock.now();
    const alert = await findAccountAlert(trx, hashToken(token), now);
    const user = alert && (await lockAccount(trx, alert.userId));
    if (!user || !(await deleteAccountAlert(trx, alert.id))) throw new AppError('link_void');
    const change = await findEmailChangeSince(trx, { userId: user.id, since: alert.createdAt, now });
    const hasLeft = change !== undefined && change.oldEmail.toLowerCase() === alert.email.toLowerCase();
    if (hasLeft) await deleteEmailChange(trx, change.id);
    const owner = hasLeft ? await restoreEmail(trx, change) : user;
    await voidLaterUndos(deps, owner);
    await voidPassword(deps, owner);
    await deleteFactorsAddedSince(trx, owner.id, alert.createdAt);
    await unlinkIdentitiesAddedSince(trx, owner.id, alert.createdAt);
    await disableAccess(deps, owner, 'reported');
    await recordAccountEvent(deps, { userId: owner.id, kind: 'account-secured', request });
    return owner.id;
  });
}

/**
 * Disables a user's API keys and webhooks during an account recovery, and returns how many of each. They stay listed with the reason, so that the
 * owner can enable each one again. Webhooks also drop the deliveries already queued.
 */
export async function disableAccess(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  { id }: Pick<UserRow, 'id'>,
  recoveryReason: RecoveryReason,
  { apiKeys = true, webhooks = true }: { apiKeys?: boolean; webhooks?: boolean } = {},
): Promise<{ apiKeys: number; webhooks: number }> {
  const recovery = { recoveryReason, disabledAt: clock.now() };
  return {
    apiKeys: apiKeys ? await disableKeysOf(trx, id, recovery) : 0,
    webhooks: webhooks ? await disableWebhooksOf(trx, id, recovery) : 0,
  };
}

async function recover(context: Context, act: (deps: InTransaction) => Promise<string>): Promise<string> {
  try {
    const userId = await transaction(context.db, (trx) => act({ ...context, db: trx }));
    return userId;
  } catch (error) {
    throw toTakenError(error);
  }
}

async function restoreEmail(trx: Trx, change: EmailChange): Promise<UserRow> {
  const email = change.oldEmail;
  await deleteNewerEmailChanges(trx, change);
  return updateUser(trx, change.userId, { email, emailKey: email.toLowerCase(), emailVerified: 1 });
}

async function voidPassword(deps: InTransaction, user: UserRow): Promise<void> {
  await updateUser(deps.db, user.id, { passwordHash: UNKNOWN_USER_HASH });
  await endAccess(deps.db, user.id);
  await mailResetLink(deps, user);
}

/**
 * Voids the undo links of all changes since the account first left its current address. Otherwise an attacker who
 * moved the account to another mailbox and back would keep a link there that takes it over again. Links to addresses
 * from before the current one stay valid, because their owners may still need them.
 */
async function voidLaterUndos({ db: trx, clock }: InTransaction, user: UserRow): Promise<void> {
  const changes = await listEmailChanges(trx, { userId: user.id, now: clock.now() });
  const first = changes.find(({ oldEmail }) => oldEmail.toLowerCase() === user.email.toLowerCase());
  if (!first) return;
  await deleteNewerEmailChanges(trx, first);
  await deleteEmailChange(trx, first.id);
}
