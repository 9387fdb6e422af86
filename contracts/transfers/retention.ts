/**
 * Retention periods of personal data. The server deletes by these numbers, and the privacy policy
 * shows them, so both always agree. The policy also shows `ANALYTICS_DAYS`, `DELIVERY_DAYS`,
 * `FATES_KEPT_DAYS`.
 */
export const RETENTION = {
  /** From sign-in to the end of the session. */
  sessionDays: 30,
  /** The cookie for entering the code after registering. */
  pendingCookieHours: 1,
  verificationCodeMinutes: 15,
  /** Accounts whose address was never verified. */
  unverifiedAccountDays: 7,
  /** Keyed hashes of browsers and networks from which an account signed in. */
  knownPlaceDays: 90,
  /** Invitations to register, after they have expired. */
  expiredAccountInvitationDays: 30,
  /** Uploads and drafts in which nothing happens. */
  unfinishedUploadHours: 24,
  /** Files and rows of expired transfers. */
  expiredTransferDays: 7,
  /** Stored files that no row names, before they are destroyed. */
  trashDays: 7,
  /** Views and downloads with their addresses. */
  accessLogDays: 90,
  mailDays: 90,
  /** The text of a mail that could not be sent. */
  failedMailTextDays: 14,
  /** The cookie of a transfer that was unlocked with its password. */
  unlockedTransferHours: 12,
  /** The cookie that lets a download resume without counting again. */
  downloadTicketHours: 24,
  /** The cookie of a visitor with a verified address, renewed while it is in use. */
  visitorCookieHours: 1,
  /** A visitor's verified address in the list of visits. The transfer keeps it as its origin. */
  visitDays: 2,
  /** Events of the payment provider. */
  paymentEventDays: 30,
  /** Answers to calls with an Idempotency-Key. */
  idempotencyHours: 24,
  /** The longest rate-limit counter. */
  rateCounterHours: 24,
  sidebarCookieDays: 7,
} as const;
