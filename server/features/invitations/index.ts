export { removeInvitationsOf } from './invitations.ts';
export { findUsed, limitsOfInvitation, requireRoom, scopeOfRoom } from './limits.ts';
export { enqueueReceipt } from './mails/receipts.ts';
export { lockOpenInvitation, openInvitation } from './open-invitation.ts';
export { hasVisitorGrant, identifyVisitor } from './visits/grants.ts';
