import type { Generated } from 'kysely';
import type { RecoveryReason } from '../../../../contracts/accounts/settings.ts';
import type { Flag, Instant, JsonText, Tier } from './column-types.ts';

/** accounts; backgrounds (the background's columns) */
export interface UsersTable {
  id: string;
  name: string;
  username: string;
  /** The username in lower case. Unique. */
  usernameKey: string;
  passwordHash: string;
  email: string;
  emailKey: string;
  emailVerified: Flag;
  isAdmin: Flag;
  tier: Tier;
  paymentCustomerId: string | null;
  paymentSubscriptionId: string | null;
  backgroundStorageKey: string | null;
  backgroundFilename: string | null;
  backgroundMimeType: string | null;
  /** The blob stores the large picture first, then the small one. */
  backgroundSizeBytes: number | null;
  backgroundSmallSizeBytes: number | null;
  createdAt: Instant;
  /** null for accounts that the operator or an administrator created. */
  registeredAt: Instant | null;
  /**
   * Set when the account is deleted. Name and address are free from then on; the row stays until the user's transfers
   * are gone.
   */
  deletedAt: Instant | null;
  /**
   * When an address of this account was first verified. null until then, and for accounts that were verified before
   * this column existed and still have that address.
   */
  firstVerifiedAt: Instant | null;
  /**
   * 1: `usernameKey` or `emailKey` is a placeholder because an older unverified account has the real one. Verifying
   * the address resolves this.
   */
  isClaiming: Generated<Flag>;
}

/** accounts */
export interface SessionsTable {
  id: string;
  userId: string;
  tokenHash: string;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: Instant;
  lastSeenAt: Instant;
  expiresAt: Instant;
}

/** accounts */
export interface EmailVerificationCodesTable {
  id: string;
  userId: string;
  codeHash: string;
  /** Incremented before the code is compared. */
  attempts: Generated<number>;
  expiresAt: Instant;
  createdAt: Instant;
}

/** accounts */
export interface PasswordResetsTable {
  id: string;
  userId: string;
  tokenHash: string;
  expiresAt: Instant;
  createdAt: Instant;
}

/** registration: one row per invited address. Revoking an invitation deletes its row. */
export interface AccountInvitationsTable {
  id: string;
  email: string;
  /** The address in lower case. Unique. */
  emailKey: string;
  tokenHash: string;
  /** The administrator's username. */
  invitedBy: string;
  /** The mail with the link, so that it can be dropped while it is still queued. */
  mailId: string;
  createdAt: Instant;
  sentAt: Instant;
  expiresAt: Instant;
  acceptedAt: Instant | null;
}

/** accounts: lets the owner of the old address undo a change. */
export interface EmailChangesTable {
  id: string;
  userId: string;
  oldEmail: string;
  tokenHash: string;
  expiresAt: Instant;
  createdAt: Instant;
}

/** accounts: the link in a security alert that lets its recipient secure the account. */
export interface AccountAlertsTable {
  id: string;
  userId: string;
  /** The address that the alert was sent to. */
  email: string;
  tokenHash: string;
  expiresAt: Instant;
  createdAt: Instant;
}

/** accounts */
export interface UserPreferencesTable {
  id: string;
  userId: string;
  emailOnDownload: Generated<Flag>;
  emailOnView: Generated<Flag>;
  emailOnExpiry: Generated<Flag>;
  updatedAt: Instant;
}

/** api-keys */
export interface ApiKeysTable {
  id: string;
  userId: string;
  name: string;
  keyHash: string;
  prefix: string;
  scopes: JsonText;
  lastUsedAt: Instant | null;
  expiresAt: Instant | null;
  isActive: Generated<Flag>;
  /** Set when an account recovery disabled the key. Only meaningful while the key is not active. */
  recoveryReason: RecoveryReason | null;
  disabledAt: Instant | null;
  createdAt: Instant;
}

/** transfers */
export interface MonthlyUsageTable {
  userId: string;
  month: string;
  bytes: number;
}

/**
 * transfers: upper bounds of what each account has, checked against the quotas. Announcing files increases them;
 * removing files does not decrease them. When a quota is reached, a recount replaces them by exact numbers.
 */
export interface AccountCountsTable {
  userId: string;
  openUploads: Generated<number>;
  drafts: Generated<number>;
  /** Including drafts. */
  transfers: Generated<number>;
  /** Including open uploads. */
  files: Generated<number>;
  /** The last recount; 0 if there was none. */
  countedAt: Generated<Instant>;
}

/** webhooks */
export interface WebhooksTable {
  id: string;
  userId: string;
  url: string;
  description: string | null;
  /** A JSON array of event names. */
  events: JsonText;
  isActive: Generated<Flag>;
  /** `secret` and `oldSecret` are sealed with the server's secret (`platform/lib/sealed-text.ts`). */
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: Instant | null;
  /** When the current run of failed attempts began. */
  failingSince: Instant | null;
  /** Set when the server disabled the webhook. */
  disabledReason: 'gone' | 'failing' | null;
  /** Set when an account recovery disabled the webhook. Only meaningful while it is not active. */
  recoveryReason: RecoveryReason | null;
  disabledAt: Instant | null;
  createdAt: Instant;
}

/** webhooks: one event for one webhook, with the result of the last attempt. */
export interface WebhookDeliveriesTable {
  webhookId: string;
  /** The event's id, which is the same for all webhooks. */
  id: string;
  type: string;
  /** The body of the request, byte for byte the same in every attempt. */
  body: JsonText;
  state: 'waiting' | 'delivered' | 'failed';
  /** Incremented before each attempt. */
  attempts: Generated<number>;
  createdAt: Instant;
  /** null if there will be no further attempt. */
  nextTryAt: Instant | null;
  lastTriedAt: Instant | null;
  requestUrl: string | null;
  requestHeaders: JsonText | null;
  status: number | null;
  error: string | null;
  durationMs: number | null;
  responseHeaders: JsonText | null;
  responseBody: string | null;
  isTruncated: Generated<Flag>;
}
