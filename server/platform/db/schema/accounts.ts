import type { Generated } from 'kysely';
import type { RecoveryReason } from '../../../../contracts/accounts/settings.ts';
import type { WebhookFormat } from '../../../../contracts/accounts/webhook-formats.ts';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Flag, Instant, JsonText, Tier } from './column-types.ts';

/** accounts; backgrounds (the background's columns) */
export interface UsersTable {
  id: string;
  name: string;
  username: string;
  /** Lower case. Unique. */
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
   * When the account was deleted, which frees name and address. The row stays until the user's transfers are
   * gone.
   */
  deletedAt: Instant | null;
  /**
   * When an address was first verified. Null until then, and for accounts verified before this column
   * existed.
   */
  firstVerifiedAt: Instant | null;
  /**
   * 1: `usernameKey` or `emailKey` is a placeholder because an older unverified account has the real one.
   * Verifying the address resolves this.
   */
  isClaiming: Generated<Flag>;
  /** 1: has a passkey or a confirmed authenticator app. Written in the transaction that adds or removes one. */
  hasSecondFactor: Generated<Flag>;
  /** Of the pages and mails. null: never known, so mails are in English. */
  language: LanguageCode | null;
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
  /** JSON list of `SignInMethod`. Null for sessions of releases before this column. */
  methods: JsonText | null;
  /** When the user last proved who they are. Null: when the session was created. */
  authenticatedAt: Instant | null;
  /** The OpenID Connect provider with which the session began. */
  providerId: string | null;
  /** `sid` of the ID token, for back-channel logout. */
  providerSession: string | null;
}

/** accounts: the authenticator app (RFC 6238). */
export interface TotpSecretsTable {
  userId: string;
  sealedSecret: string;
  /** The time step of the last accepted code; a code of this step or an earlier one is refused. */
  lastStep: Generated<number>;
  createdAt: Instant;
  /** Null until the first code was entered. */
  confirmedAt: Instant | null;
  lastUsedAt: Instant | null;
}

/** accounts */
export interface RecoveryCodesTable {
  id: string;
  userId: string;
  codeHash: string;
  createdAt: Instant;
  usedAt: Instant | null;
}

/** accounts: a sign-in or confirmation that is under way in one browser. */
export interface SignInAttemptsTable {
  id: string;
  tokenHash: string;
  stage: AttemptStage;
  userId: string | null;
  challenge: string | null;
  createdAt: Instant;
  expiresAt: Instant;
}

export type AttemptStage =
  | 'second-factor'
  | 'link'
  | 'sso'
  | 'passkey-sign-in'
  | 'passkey-factor'
  | 'passkey-confirmation'
  | 'passkey-add';

/** accounts: WebAuthn credentials. */
export interface PasskeysTable {
  id: string;
  userId: string;
  /** Base64url, as `publicKey`, which is a COSE key. */
  credentialId: string;
  publicKey: string;
  /** The uses that the authenticator has counted; 0 if it doesn't count. */
  counter: number;
  /** JSON list of hints how browsers reach the authenticator. */
  transports: JsonText;
  isBackedUp: Flag;
  deviceType: 'singleDevice' | 'multiDevice';
  /** The model of the authenticator, or zeros. */
  aaguid: string;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

/** accounts: OpenID Connect providers that administrators added. */
export interface IdentityProvidersTable {
  id: string;
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  sealedSecret: string | null;
  name: string;
  /** A JSON array. */
  domains: JsonText;
  mayCreateAccounts: Generated<Flag>;
  isRequiredForDomains: Generated<Flag>;
  trustsSecondFactor: Generated<Flag>;
  isEnabled: Generated<Flag>;
  createdAt: Instant;
  updatedAt: Instant;
}

/** accounts: a subject of a provider that is linked to an account. */
export interface ExternalIdentitiesTable {
  id: string;
  /** Of `identityProviders` or of the environment. */
  providerId: string;
  issuer: string;
  subject: string;
  userId: string;
  /** As the provider reported it when the identity was linked. */
  email: string | null;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

/** accounts: the last look-up of the TXT record that proves a domain of a provider. */
export interface ProviderDomainsTable {
  providerId: string;
  domain: string;
  provedAt: Instant | null;
  checkedAt: Instant;
  problem: 'missing' | 'unreachable' | null;
}

/** accounts: what the owner is told about the account's security. */
export interface AccountEventsTable {
  id: string;
  userId: string;
  kind: string;
  ipAddress: string | null;
  userAgent: string | null;
  details: JsonText | null;
  createdAt: Instant;
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

/** registration: revoking an invitation deletes its row. */
export interface AccountInvitationsTable {
  id: string;
  email: string;
  /** Lower case. Unique. */
  emailKey: string;
  tokenHash: string;
  /** A username. */
  invitedBy: string;
  /** The mail with the link, so that it can be dropped while queued. */
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

/** accounts: the link to secure the account in a security alert. */
export interface AccountAlertsTable {
  id: string;
  userId: string;
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
  emailOnReopenRequest: Generated<Flag>;
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
  /** Set by an account recovery. Only meaningful while the key is not active. */
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
 * transfers: upper bounds checked against the quotas. Announcing files increases them; removing files does
 * not decrease them. When a quota is reached, a recount replaces them by exact numbers.
 */
export interface AccountCountsTable {
  userId: string;
  openUploads: Generated<number>;
  drafts: Generated<number>;
  /** Including drafts. */
  transfers: Generated<number>;
  /** Including open uploads. */
  files: Generated<number>;
  /** 0 if there was no recount. */
  countedAt: Generated<Instant>;
}

/** webhooks */
export interface WebhooksTable {
  id: string;
  userId: string;
  /** null stands for `sendwell`. */
  format: WebhookFormat | null;
  /** Of another format than `sendwell`, only the part that is not secret. */
  url: string;
  /** Of other formats: address and token, sealed (`server/features/webhooks/formats/target.ts`). */
  sealedTarget: string | null;
  description: string | null;
  /** A JSON array of event names. */
  events: JsonText;
  isActive: Generated<Flag>;
  /** `secret` and `oldSecret` are sealed (`platform/lib/sealed-text.ts`). */
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: Instant | null;
  failingSince: Instant | null;
  disabledReason: 'gone' | 'failing' | null;
  /** Set by an account recovery. Only meaningful while the webhook is not active. */
  recoveryReason: RecoveryReason | null;
  disabledAt: Instant | null;
  createdAt: Instant;
}

/** push: a browser that is notified. Of a user in a session, or of a recipient of one transfer. */
export interface PushSubscriptionsTable {
  id: string;
  userId: string | null;
  transferId: string | null;
  /** It ends with this session. */
  sessionId: string | null;
  endpointHash: string;
  /** The address at the push service and the keys of the browser (`server/features/push`). */
  sealedTarget: string;
  service: string;
  /** A JSON array of event names. */
  events: JsonText;
  createdAt: Instant;
}

/** webhooks: one event for one webhook. */
export interface WebhookDeliveriesTable {
  webhookId: string;
  /** The same for all webhooks. */
  id: string;
  type: string;
  /** Byte for byte the same in every attempt. */
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
