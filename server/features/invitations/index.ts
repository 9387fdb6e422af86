export { removeInvitationsOf } from './invitations.ts';
export { findRoom, type Room, requireRoom, requireRoomFor, scopeOfVisitor } from './limits.ts';
export { enqueueReceipt } from './mails/receipts.ts';
export { lockOpenInvitation, openInvitation } from './open-invitation.ts';
export { hasVisitorGrant, identifyVisitor } from './visits/grants.ts';
