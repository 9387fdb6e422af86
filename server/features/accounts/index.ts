export { alertBlocks, SECURITY_REASON } from './emails.ts';
export { createLimitedAlertLink } from './events/account-alerts.ts';
export { recordAccountEvent } from './events/events.ts';
export { deleteFactorsAddedSince, resetFactors } from './factors/factors.ts';
export { deletePasswordResetsOf } from './mailed-token-queries.ts';
export { replacePassword } from './passwords/password-changes.ts';
export { findWeakness, requireGoodPassword } from './passwords/password-policy.ts';
export {
  claimHashing,
  hashPassword,
  hashSha1,
  rehashPassword,
  UNKNOWN_USER_HASH,
  verifyPassword,
} from './passwords/passwords.ts';
export {
  INACTIVE_HASH,
  isInactive,
  isUsableHash,
  isUsableSha1,
  type Sha1Hash,
} from './passwords/stored-hashes.ts';
export { getPreferences, writePreferences } from './settings/preferences.ts';
export { recordSignIn } from './sign-in/login.ts';
export { forgetSignInPolicy, getSignInPolicy, saveSignInPolicy } from './sign-in/policy.ts';
export { clearPendingCookie, clearSessionCookie } from './sign-in/sessions/cookies.ts';
export { deleteSessionsOf } from './sign-in/sessions/session-queries.ts';
export { createAuthenticator } from './sign-in/sessions/sessions.ts';
export { requireOwner } from './sign-in/step-up.ts';
export { unlinkIdentitiesAddedSince } from './single-sign-on/identities/identities.ts';
export * as identityProviders from './single-sign-on/index.ts';
export { requireMaySignInWithoutSso, requireNoSsoDomain } from './single-sign-on/providers/required.ts';
export { closeAccount, closeAccountAsAdmin, endAccess } from './users/account-closure.ts';
export {
  addAccount,
  ensureFirstAdmin,
  resetPassword,
  setAdministrator,
  setTier,
} from './users/administration.ts';
export { findUser, lockAccount, lockUserByEmail, updateUser } from './users/user-queries.ts';
export { findPerson, lockCaller, setPaymentCustomer, setPlan, toTakenError } from './users/users.ts';
