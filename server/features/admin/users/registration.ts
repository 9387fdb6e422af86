import type { FastifyInstance } from 'fastify';
import {
  type AccountInvitation,
  type AdminRegistration,
  createAccountInvitation as createCall,
  getRegistration as getRegistrationCall,
  listAccountInvitations as listCall,
  type RegistrationInput,
  resendAccountInvitation as resendCall,
  revokeAccountInvitation as revokeCall,
  updateRegistration as updateRegistrationCall,
} from '../../../../contracts/accounts/registration.ts';
import type { Context } from '../../../context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { route } from '../../../platform/http/routing/route.ts';
import {
  getRegistration,
  inviteToRegister,
  listAccountInvitations,
  resendInvitation,
  revokeInvitation,
  saveRegistration,
} from '../../registration/index.ts';
import { type By, byCaller, recordAct } from '../audit.ts';

export function registrationAdminRoutes(app: FastifyInstance, context: Context): void {
  route(app, getRegistrationCall, () => getRegistration(context));
  route(app, updateRegistrationCall, (call) =>
    updateRegistration(context, byCaller(context, call), call.body),
  );
  route(app, listCall, ({ query }) => listAccountInvitations(context, query));
  route(app, createCall, (call) =>
    createAccountInvitation(context, byCaller(context, call), call.body.email),
  );
  route(app, resendCall, (call) => resendAccountInvitation(context, byCaller(context, call), call.params.id));
  route(app, revokeCall, (call) => revokeAccountInvitation(context, byCaller(context, call), call.params.id));
}

async function updateRegistration(
  context: Context,
  by: By,
  input: RegistrationInput,
): Promise<AdminRegistration> {
  return transaction(context.db, async (trx) => {
    const deps = { ...context, db: trx };
    const before = await getRegistration(deps);
    await saveRegistration(deps, input);
    const details = { from: describeSettings(before), to: describeSettings(input) };
    await recordAct(trx, { ...by, action: 'registration.update', subject: 'Who may register', details });
    return getRegistration(deps);
  });
}

function describeSettings({ mode, domains, visitorDomains }: RegistrationInput) {
  const list = (names: string[]) => names.join(', ') || 'none';
  return { mode, domains: list(domains), visitorDomains: list(visitorDomains) };
}

/** Throws AppError `registration_is_closed`, `email_taken`, `account_invitation_exists`, `too_many_requests`. */
async function createAccountInvitation(context: Context, by: By, email: string): Promise<AccountInvitation> {
  const invitation = await transaction(context.db, async (trx) => {
    const invited = await inviteToRegister({ ...context, db: trx }, { email, invitedBy: by.actor.username });
    await recordAct(trx, {
      ...by,
      action: 'account-invitation.create',
      subject: email,
      subjectId: invited.id,
    });
    return invited;
  });
  return invitation;
}

async function resendAccountInvitation(context: Context, by: By, id: string): Promise<AccountInvitation> {
  const invitation = await transaction(context.db, async (trx) => {
    const sent = await resendInvitation({ ...context, db: trx }, id);
    await recordAct(trx, { ...by, action: 'account-invitation.resend', subject: sent.email, subjectId: id });
    return sent;
  });
  return invitation;
}

async function revokeAccountInvitation({ db }: Pick<Context, 'db'>, by: By, id: string): Promise<void> {
  await transaction(db, async (trx) => {
    const subject = await revokeInvitation(trx, id);
    await recordAct(trx, { ...by, action: 'account-invitation.revoke', subject, subjectId: id });
  });
}
