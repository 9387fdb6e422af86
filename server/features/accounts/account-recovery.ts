import type { FastifyRequest } from 'fastify';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { hashToken } from '../../platform/lib/tokens.ts';
import { deleteAccountAlert, deleteAccountAlertsOf, findAccountAlert } from './account-alert-queries.ts';
import {
  deleteEmailChange,
  deleteNewerEmailChanges,
  type EmailChange,
  findEmailChangeSince,
  listEmailChanges,
  selectEmailChange,
} from './email-change-queries.ts';
import { forgetPlacesOf, rememberSignIn } from './login-tries.ts';
import { replacePassword } from './password-changes.ts';
import { requireGoodPassword } from './password-policy.ts';
import {
  deletePasswordReset,
  deletePasswordResetsOf,
  selectPasswordReset,
} from './password-reset-queries.ts';
import { mailResetLink } from './password-resets.ts';
import { hashPassword, UNKNOWN_USER_HASH } from './passwords.ts';
import { deleteCodesOf, lockUser, selectUserById, updateUser } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';
import { toTakenError } from './taken.ts';

type InTransaction = Omit<Context, 'db'> & { db: Trx };

/**
 * Disables what else gives access to an account, in the transaction of the recovery. API keys and webhooks belong to
 * features that know accounts, so the caller passes this in.
 */
export type DisableAccess = (
  deps: Pick<Context, 'clock'> & { db: Trx },
  user: Pick<UserRow, 'id'>,
  reason: RecoveryReason,
) => Promise<void>;

/**
 * Sets a new password by the token of the mailed link. The mail has proved the address, so it counts as verified.
 * All sessions end, API keys and webhooks are disabled. Of parallel calls with one token one wins. Throws AppError
 * `link_void` (unknown, expired, used), `invalid_input` (a password that the policy refuses; the link stays valid) and
 * `unavailable`.
 */
export async function confirmPasswordReset(
  context: Context,
  { token, password }: { token: string; password: string },
  { request, disableAccess }: { request: FastifyRequest; disableAccess: DisableAccess },
): Promise<void> {
  const reset = await selectPasswordReset(context.db, hashToken(token), context.clock.now());
  if (!reset) throw new AppError('link_void');
  request.accountId = reset.userId;
  const person = (await selectUserById(context.db, reset.userId)) ?? {};
  await requireGoodPassword(context, { password, person });
  const passwordHash = await hashPassword(password, { lane: 'sign-in', account: reset.userId });
  await transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const user = await lockUser(trx, reset.userId);
    if (!user || !(await deletePasswordReset(trx, reset.id))) throw new AppError('link_void');
    await endAccess(deps, user);
    await voidLaterUndos(deps, user);
    await disableAccess(deps, user, 'password-reset');
    await replacePassword(deps, user, { passwordHash, emailVerified: 1 });
    await rememberSignIn(deps, user, request);
  });
}

/**
 * Takes a change of the address back by the token that was mailed to the old address, and with it those made after
 * it. The old address counts as verified (the mail proved it). Whoever made the change may know the password: it is
 * void, and a link for a new one goes to the old address. All sessions end, API keys and webhooks are disabled.
 * Returns the user's id. Throws AppError `link_void` (unknown, expired, used) and `email_taken` when somebody else has
 * the address now.
 */
export async function undoEmailChange(
  context: Context,
  token: string,
  disableAccess: DisableAccess,
): Promise<string> {
  return recover(context, async (deps) => {
    const change = await selectEmailChange(deps.db, hashToken(token), deps.clock.now());
    const user = change && (await lockUser(deps.db, change.userId));
    if (!user || !(await deleteEmailChange(deps.db, change.id))) throw new AppError('link_void');
    const restored = await restoreEmail(deps.db, change);
    await voidPassword(deps, restored);
    await disableAccess(deps, restored, 'email-undone');
    return restored.id;
  });
}

/**
 * Secures an account by the link "This wasn't me" of a security mail: all sessions end, the password is void, API
 * keys and webhooks are disabled, and a link for a new password is mailed. If the account has left the address that
 * the mail went to since, that change is undone, so that the link goes to the mail's reader. Returns the
 * user's id. Throws AppError `link_void` (unknown, expired, used) and `email_taken`.
 */
export async function secureAccount(
  context: Context,
  token: string,
  disableAccess: DisableAccess,
): Promise<string> {
  return recover(context, async (deps) => {
    const { db: trx, clock } = deps;
    const now = clock.now();
    const alert = await findAccountAlert(trx, hashToken(token), now);
    const user = alert && (await lockUser(trx, alert.userId));
    if (!user || !(await deleteAccountAlert(trx, alert.id))) throw new AppError('link_void');
    const change = await findEmailChangeSince(trx, { userId: user.id, since: alert.createdAt, now });
    const hasLeft = change !== undefined && change.oldEmail.toLowerCase() === alert.email.toLowerCase();
    if (hasLeft) await deleteEmailChange(trx, change.id);
    const owner = hasLeft ? await restoreEmail(trx, change) : user;
    await voidLaterUndos(deps, owner);
    await voidPassword(deps, owner);
    await disableAccess(deps, owner, 'reported');
    return owner.id;
  });
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
  await endAccess(deps, user);
  await mailResetLink(deps, user);
}

/** Ends sessions and voids everything mailed or remembered that could begin one. */
async function endAccess({ db: trx }: InTransaction, { id }: Pick<UserRow, 'id'>): Promise<void> {
  await deleteSessionsOf(trx, id);
  await deleteCodesOf(trx, id);
  await deletePasswordResetsOf(trx, id);
  await deleteAccountAlertsOf(trx, id);
  await forgetPlacesOf(trx, id);
}

/**
 * Voids the undo links of changes that were made since the account first left the user's present address. A thief who
 * moved the account to another mailbox and back would otherwise keep a link there that takes the account over again.
 * Links to addresses that the account had before the present one stay: their owner may still need them.
 */
async function voidLaterUndos({ db: trx, clock }: InTransaction, user: UserRow): Promise<void> {
  const changes = await listEmailChanges(trx, { userId: user.id, now: clock.now() });
  const first = changes.find(({ oldEmail }) => oldEmail.toLowerCase() === user.email.toLowerCase());
  if (!first) return;
  await deleteNewerEmailChanges(trx, first);
  await deleteEmailChange(trx, first.id);
}
