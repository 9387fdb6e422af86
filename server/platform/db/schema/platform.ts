import type { Generated } from 'kysely';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Instant, JsonText } from './column-types.ts';

/**
 * platform/http: places (network addresses and browsers) that have entered the correct password of an account
 * or a transfer. They keep their own attempts while strangers use up the subject's.
 */
export interface KnownPlacesTable {
  subject: string;
  /** Keyed hash. */
  place: string;
  expiresAt: Instant;
}

/** tiers (limits); registration (mode); platform/jobs, uploads (sweeps); admin (past totals) */
export interface SettingsTable {
  id: string;
  key: string;
  value: JsonText;
  updatedAt: Instant;
}

/** admin. Rows outlive the actor and the subject. */
export interface AuditLogTable {
  id: string;
  at: Instant;
  actorId: string;
  actorName: string;
  action: string;
  subject: string;
  subjectId: string | null;
  details: JsonText;
  ipAddress: string | null;
}

/** platform/jobs */
export interface JobsTable {
  id: string;
  name: string;
  payload: JsonText;
  /** At most one waiting job per key. */
  uniqueKey: string | null;
  runAt: Instant;
  attempts: Generated<number>;
  leaseId: string | null;
  leasedUntil: Instant | null;
  lastError: string | null;
  /** The final failure. The row of a finished job is deleted. */
  failedAt: Instant | null;
  createdAt: Instant;
}

/** platform/mail: the outbox. The body is cleared once the mail is sent. */
export interface MailsTable {
  id: string;
  kind: string;
  transferId: string | null;
  userId: string | null;
  recipient: string;
  replyTo: string | null;
  /** null: English. */
  language: LanguageCode | null;
  subject: string;
  text: string;
  html: string;
  state: 'queued' | 'sent' | 'failed' | 'dropped';
  attempts: Generated<number>;
  /** For mails with codes. */
  sendBefore: Instant | null;
  lastError: string | null;
  createdAt: Instant;
  sentAt: Instant | null;
  /** For List-Unsubscribe. */
  unsubscribeToken: string | null;
}

/** platform/mail: addresses that opted out of transfer mails. */
export interface MailOptOutsTable {
  emailKey: string;
  createdAt: Instant;
}

/** platform/http: persistent, so that they survive restarts. */
export interface RateCountersTable {
  key: string;
  windowEndsAt: Instant;
  count: number;
}

/** platform/http */
export interface IdempotencyKeysTable {
  /** Derived from the caller and its key. */
  id: string;
  userId: string;
  requestHash: string;
  /** Null once there is an outcome. */
  runId: string | null;
  /** When another request may take over from a dead run. */
  runsUntil: Instant;
  /** Sealed, because some responses contain secrets. */
  outcome: string | null;
  expiresAt: Instant;
}

/** platform/leases: a lease whose end has passed is free. */
export interface LeasesTable {
  key: string;
  /** '' for the whole key. */
  slot: string;
  leaseId: string;
  holder: string;
  endsAt: Instant;
  isWanted: Generated<number>;
  isToEnd: Generated<number>;
}
