export {
  claimAccountInvitation,
  forgetInvitationOf,
  inviteToRegister,
  listAccountInvitations,
  requireMayRegister,
  resendInvitation,
  revokeInvitation,
} from './account-invitations.ts';
export { getRegistration, requireVisitorDomain, saveRegistration } from './settings.ts';
