import type {
  AccountInvitation,
  AdminRegistration,
  RegistrationInput,
} from '../../../contracts/accounts/registration.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import {
  getRegistration,
  inviteToRegister,
  resendInvitation,
  revokeInvitation,
  saveRegistration,
} from '../registration/index.ts';
import { type By, noteAct } from './audit.ts';

/** Decides who may register from the next request on. */
export async function updateRegistration(
  context: Context,
  by: By,
  input: RegistrationInput,
): Promise<AdminRegistration> {
  return transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const before = await getRegistration(deps);
    await saveRegistration(deps, input);
    const details = { from: describeSettings(before), to: describeSettings(input) };
    await noteAct(trx, { ...by, action: 'registration.update', subject: 'Who may register', details });
    return getRegistration(deps);
  });
}

/** For the audit log, which shows what differs. */
function describeSettings({ mode, domains, visitorDomains }: RegistrationInput) {
  const list = (names: string[]) => names.join(', ') || 'none';
  return { mode, domains: list(domains), visitorDomains: list(visitorDomains) };
}

/**
 * Invites an address to register. Throws AppError `registration_is_closed`, `email_taken`,
 * `account_invitation_exists`, `too_many_requests`.
 */
export async function createAccountInvitation(
  context: Context,
  by: By,
  email: string,
): Promise<AccountInvitation> {
  const invitation = await transaction(context.db, async (trx) => {
    const invited = await inviteToRegister({ ...context, db: trx }, { email, invitedBy: by.actor.username });
    await noteAct(trx, { ...by, action: 'account-invitation.create', subject: email, subjectId: invited.id });
    return invited;
  });
  return invitation;
}

/** Mails a new link. Throws AppError `registration_is_closed`, `account_invitation_not_found`, `too_many_requests`. */
export async function resendAccountInvitation(
  context: Context,
  by: By,
  id: string,
): Promise<AccountInvitation> {
  const invitation = await transaction(context.db, async (trx) => {
    const sent = await resendInvitation({ ...context, db: trx }, id);
    await noteAct(trx, { ...by, action: 'account-invitation.resend', subject: sent.email, subjectId: id });
    return sent;
  });
  return invitation;
}

/** Throws AppError `account_invitation_not_found`. */
export async function revokeAccountInvitation(
  { db }: Pick<Context, 'db'>,
  by: By,
  id: string,
): Promise<void> {
  await transaction(db, async (trx) => {
    const subject = await revokeInvitation(trx, id);
    await noteAct(trx, { ...by, action: 'account-invitation.revoke', subject, subjectId: id });
  });
}
