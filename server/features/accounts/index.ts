export { offerSecuringOfMany } from './account-alerts.ts';
export {
  confirmPasswordReset,
  type DisableAccess,
  secureAccount,
  undoEmailChange,
} from './account-recovery.ts';
export { addAccount, resetPassword, setAdministrator, setTier } from './administration.ts';
export { createAuthenticator } from './authenticator.ts';
export { closeAccount, closeAnyAccount } from './closing.ts';
export { clearPendingCookie, clearSessionCookie } from './cookies.ts';
export { requireCurrentPassword } from './current-password.ts';
export { SECURITY_REASON, wasNotMe } from './emails.ts';
export { ensureFirstAdmin } from './first-admin.ts';
export { takeHashing } from './hashing-limits.ts';
export { lockAccount, lockCaller } from './holding.ts';
export { findWeakness, requireGoodPassword } from './password-policy.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { findPerson } from './people.ts';
export { setPaymentCustomer, setPlan } from './plans.ts';
export { getPreferences, writePreferences } from './preferences.ts';
export { accountSettingsRoutes } from './settings-routes.ts';
export { toTakenError } from './taken.ts';
