/**
 * Retention periods of personal data. The server deletes by these numbers and the privacy policy shows them, so both
 * always agree. The policy also shows `ANALYTICS_DAYS`, `DELIVERY_DAYS` and `FATES_KEPT_DAYS`.
 */
export const RETENTION = {
  /** From sign-in, even if the session is in use. */
  sessionDays: 30,
  /** For entering the code after registration. */
  pendingCookieHours: 1,
  verificationCodeMinutes: 15,
  unverifiedAccountDays: 7,
  /** Keyed hashes of browsers and networks that have signed in. */
  knownPlaceDays: 90,
  /** What happened to an account, with addresses and browsers. */
  accountEventDays: 180,
  expiredAccountInvitationDays: 30,
  /** Without any activity. */
  unfinishedUploadHours: 24,
  /** Files and rows of expired transfers. */
  expiredTransferDays: 7,
  /** Blobs without a row wait in the trash. */
  trashDays: 7,
  /** Views and downloads with IP addresses. */
  accessLogDays: 90,
  mailDays: 90,
  /** The text of an email that could not be sent. */
  failedMailTextDays: 14,
  unlockedTransferHours: 12,
  /** For resuming a download without counting it again. */
  downloadTicketHours: 24,
  /** Renewed while it is in use. */
  visitorCookieHours: 1,
  /** A visitor's address in the list of visits. The transfer keeps it as its origin. */
  visitDays: 2,
  paymentEventDays: 30,
  /** Responses stored for an Idempotency-Key. */
  idempotencyHours: 24,
  /** The longest window of a rate limit. */
  rateCounterHours: 24,
  sidebarCookieDays: 7,
} as const;
