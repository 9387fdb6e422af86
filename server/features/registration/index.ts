export {
  claimAccountInvitation,
  inviteToRegister,
  listAccountInvitations,
  requireMayRegister,
  resendInvitation,
  revokeInvitation,
} from './account-invitations.ts';
export { deleteInvitationOf } from './queries.ts';
export { getRegistration, requireVisitorDomain, saveRegistration } from './settings.ts';
