export { holdOpenInvitation, openInvitation } from './door.ts';
export { hasVisitorGrant, identifyVisitor } from './grants.ts';
export { removeInvitationsOf } from './invitations.ts';
export { enqueueReceipt } from './receipts.ts';
export { findUsed, limitsOfInvitation, requireRoom, scopeOfRoom } from './room.ts';
