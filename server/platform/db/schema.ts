/**
 * All tables, in types that SQLite and PostgreSQL share: ids are text, instants are epoch milliseconds, flags are
 * 0 or 1, lists are JSON text. Column names are the field names of the contracts and contain no vendor's name
 * (storageKey, paymentCustomerId). The comment on a table names the one feature that writes it.
 */
import type { Generated, Selectable } from 'kysely';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';

export type Instant = number;
export type Flag = 0 | 1;
export type JsonText = string;
export type Tier = 'free' | 'pro' | 'premium';

/** accounts (backgrounds: the background's columns) */
export interface UsersTable {
  id: string;
  name: string;
  username: string;
  /** The form compared for uniqueness: lower case. */
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
  /** The blob is the large picture, and the small one behind it. */
  backgroundSizeBytes: number | null;
  backgroundSmallSizeBytes: number | null;
  createdAt: Instant;
  /** When the user registered; null for accounts created by the operator or an administrator. */
  registeredAt: Instant | null;
  /** The account is deleted: name and address are free again, the row waits until its transfers are gone. */
  deletedAt: Instant | null;
  /**
   * When an address of this account was first seen verified. null while no address ever was, and for accounts that
   * were verified before this column existed and have kept their address since.
   */
  firstVerifiedAt: Instant | null;
  /**
   * 1: `usernameKey` or `emailKey` is a placeholder, because an older unverified account has the real one. Verifying
   * the address settles that.
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
  /** Tries so far, counted before the code is compared. */
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

/** registration: people invited to register. One row per address; revoking deletes it. */
export interface AccountInvitationsTable {
  id: string;
  email: string;
  /** Lower case, unique. */
  emailKey: string;
  tokenHash: string;
  /** The administrator's username. */
  invitedBy: string;
  /** The mail with the link, so that it can be dropped while it waits. */
  mailId: string;
  createdAt: Instant;
  sentAt: Instant;
  expiresAt: Instant;
  acceptedAt: Instant | null;
}

/** accounts: lets the owner of the old address take a change back. */
export interface EmailChangesTable {
  id: string;
  userId: string;
  oldEmail: string;
  tokenHash: string;
  expiresAt: Instant;
  createdAt: Instant;
}

/** accounts: the link in a security mail that secures the recipient's account. */
export interface AccountAlertsTable {
  id: string;
  userId: string;
  /** Where the mail went. */
  email: string;
  tokenHash: string;
  expiresAt: Instant;
  createdAt: Instant;
}

/**
 * platform/http: network addresses and browsers that gave the right password of a subject (an account or a
 * transfer) before. They keep their own tries while strangers use up the subject's.
 */
export interface KnownPlacesTable {
  subject: string;
  /** A keyed hash. */
  place: string;
  expiresAt: Instant;
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
  /** Which account recovery disabled it, and when. Only meaningful while it is not active. */
  recoveryReason: RecoveryReason | null;
  disabledAt: Instant | null;
  createdAt: Instant;
}

/** webhooks */
export interface WebhooksTable {
  id: string;
  userId: string;
  url: string;
  description: string | null;
  /** A list of events in JSON: each in quotes. */
  events: JsonText;
  isActive: Generated<Flag>;
  /** Sealed with the server's secret (`platform/lib/sealed-text.ts`), as is the one before it. */
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: Instant | null;
  /** Since when every try has failed. */
  failingSince: Instant | null;
  /** Why the server switched it off. */
  disabledReason: 'gone' | 'failing' | null;
  /** Which account recovery disabled it, and when. Only meaningful while it is not active. */
  recoveryReason: RecoveryReason | null;
  disabledAt: Instant | null;
  createdAt: Instant;
}

/** webhooks: an event on its way to one of them, and what became of the latest try. */
export interface WebhookDeliveriesTable {
  webhookId: string;
  /** The id of the event, the same for all webhooks. */
  id: string;
  type: string;
  /** What is posted, byte for byte the same at every try. */
  body: JsonText;
  state: 'waiting' | 'delivered' | 'failed';
  /** Counted before they are made. */
  attempts: Generated<number>;
  createdAt: Instant;
  /** null: none is to come. */
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

/**
 * tiers (limits); registration (who may register); platform/jobs (when each sweep looked last); uploads (what the
 * latest sweep found); admin (what
 * happened on days that are over)
 */
export interface SettingsTable {
  id: string;
  key: string;
  value: JsonText;
  updatedAt: Instant;
}

/**
 * transfers (downloads: counts and closedAt). A draft gathers files; ready is public; deleting is gone for everybody
 * and waits for the
 * job that removes its bytes.
 */
export interface TransfersTable {
  id: string;
  userId: string;
  token: string;
  status: 'draft' | 'ready' | 'deleting';
  title: string | null;
  message: string | null;
  recipientEmails: JsonText;
  expiresAt: Instant | null;
  scheduledAvailableAt: Instant | null;
  createdAt: Instant;
  readyAt: Instant | null;
  downloadCount: Generated<number>;
  /**
   * Whole-transfer downloads so far, also those given back; a file's own count adds those since it joined
   * (`files.zipBase`).
   */
  zipCount: Generated<number>;
  maxDownloads: number | null;
  autoDeleteAfterDownloads: Generated<Flag>;
  isExpired: Generated<Flag>;
  passwordHash: string | null;
  /** Files the sender announced; null until the first complete. */
  expectedFiles: number | null;
  fileCount: Generated<number>;
  totalBytes: Generated<number>;
  /** Bytes of complete files and of uploads still open: what the per-transfer limit is held against. */
  reservedBytes: Generated<number>;
  /** When the download limit closed an auto-delete transfer to new downloads. */
  closedAt: Instant | null;
  /** A visitor's email address, for what came through an invitation. */
  receivedFrom: string | null;
  invitationId: string | null;
  /** Which visitor gathers it (`visitorKey` of the invitation and the address), and in which visit. */
  visitorKey: string | null;
  visitId: string | null;
  /** invitations: when the visitor was mailed the list of what has arrived. */
  receiptSentAt: Instant | null;
  /** admin: since when it is closed to everybody but its owner. */
  takenDownAt: Instant | null;
  /**
   * scanning: why nobody can download it. Follows from its rows in `heldFiles`; null without any. 'checking': files
   * wait for the scanner; 'unscanned': they could not be scanned and wait for an administrator; 'partial': the same of
   * files that were added to an open transfer, whose other files can be downloaded; 'blocked': a file is infected or
   * was taken down by its hash.
   */
  scanState: 'checking' | 'unscanned' | 'partial' | 'blocked' | null;
  /** scanning: since when the mails to its recipients wait for the scan; null: they were never held, or were sent. */
  announceHeldAt: Instant | null;
  /** notices: when the reminders before its end went out. */
  remindedAt: Instant | null;
  /** notices: when the owner was told that it has expired. */
  expiryNoticeAt: Instant | null;
  /** uploads: how often bytes of its files were replaced; a cache of where they lie must compare it. */
  repairCount: Generated<number>;
  /** The zip of all files as it was when there were `zipFileCount`; of transfers with many files only. */
  zipSizeBytes: number | null;
  zipTag: string | null;
  zipModifiedAt: Instant | null;
  zipFileCount: number | null;
}

/** transfers (downloads: openedAt, downloadedAt; notices: remindedAt). One row per address it was sent to. */
export interface TransferRecipientsTable {
  id: string;
  transferId: string;
  email: string;
  emailKey: string;
  /** In this recipient's own link, `?r=`. */
  token: string;
  createdAt: Instant;
  openedAt: Instant | null;
  downloadedAt: Instant | null;
  remindedAt: Instant | null;
}

/** uploads (created, repaired), downloads (counts), checksums (from sha256 on), notices (damageToldAt) */
export interface FilesTable {
  /** Equal to the id of the upload that brought it. */
  id: string;
  transferId: string;
  position: number;
  originalName: string;
  /** Folder path with the name, '/'-separated; equals originalName for a file outside folders. */
  relativePath: string;
  mimeType: string;
  sizeBytes: number;
  crc32: number;
  storageKey: string;
  offset: number;
  uploadedAt: Instant;
  /** Downloads of this file alone or in a selection, less the whole-transfer downloads with it given back. */
  downloadCount: Generated<number>;
  zipBase: Generated<number>;
  /** Lower-case hex; null until the check of the stored bytes has computed it. */
  sha256: string | null;
  /** When the stored bytes were held against `crc32`. */
  checkedAt: Instant | null;
  /** When two readings in a row, minutes apart, had found them missing or wrong: the file is served no more. */
  damagedAt: Instant | null;
  /** When the scrub reads them next; 0 for files from before there was one. */
  verifyAt: Generated<Instant>;
  /** When they were last read and found right. */
  verifiedAt: Instant | null;
  /** When a first reading found them missing or wrong; null again after the second, whatever it found. */
  suspectedAt: Instant | null;
  /** When the owner was notified of the damage; null again once it is repaired. */
  damageToldAt: Instant | null;
}

/** scanning: files that are not offered, and why. A file that may be downloaded has no row. */
export interface HeldFilesTable {
  fileId: string;
  transferId: string;
  /** The owner of the transfer: owners take turns at the scanner. */
  userId: string;
  state: 'waiting' | 'unscanned' | 'infected' | 'blocked';
  /** Of 'infected' the scanner's name for it, of 'unscanned' an `UnscannedReason`. */
  finding: string | null;
  /** Of the stored bytes, once they have been read. */
  sha256: string | null;
  /** Counted before each try, so that a file that crashes the scanner does not stop others. */
  attempts: Generated<number>;
  createdAt: Instant;
  /** When it got its present state; null while waiting. */
  foundAt: Instant | null;
  /** notices: when the owner was told that it is blocked. */
  toldAt: Instant | null;
}

/** scanning: contents that administrators have taken down or released, by their SHA-256. */
export interface ContentRulesTable {
  id: string;
  sha256: string;
  verdict: 'blocked' | 'released';
  reason: string;
  /** Of the file it was decided on, as are its length and sum. */
  fileName: string;
  sizeBytes: number;
  /** With `sizeBytes`, recognizes a new file that may be the same before its SHA-256 is known. */
  crc32: number;
  /** What the scanner had found in a released file. */
  finding: string | null;
  /** The administrator's username. */
  createdBy: string;
  createdAt: Instant;
}

/** uploads */
export interface UploadsTable {
  id: string;
  userId: string;
  /** Which visitor sends it; null: the user. */
  visitorKey: string | null;
  transferId: string;
  state: 'open' | 'complete';
  fileName: string;
  relativePath: string;
  mimeType: string;
  sizeBytes: number;
  chunkSize: number;
  chunkCount: number;
  storageKey: string;
  offset: number;
  firstSlot: number;
  position: number;
  /** 'YYYY-MM' in UTC: the month its reservation counts in. */
  usageMonth: string;
  createdAt: Instant;
  lastActivityAt: Instant;
  /** Bytes that have arrived: a lower bound, saved now and then. */
  receivedBytes: Generated<number>;
  /** The damaged file whose bytes it replaces; null: it becomes a file of its own. Such an upload reserves nothing. */
  repairsFileId: string | null;
}

/** transfers: one row per event in the life of a transfer or upload, kept 90 days. Ids only, nothing personal. */
export interface FatesTable {
  id: string;
  kind: 'transfer' | 'upload';
  transferId: string;
  /** null for a transfer. */
  uploadId: string | null;
  /** SHA-256 of the share token; null for an upload. */
  tokenHash: string | null;
  ownerId: string;
  /** One of `FATE_CAUSES` (contracts/admin/lookup.ts). */
  cause: string;
  at: Instant;
}

/** What open uploads may still write to the disk, in one row; it may be too high for a while. */
export interface DiskReservationsTable {
  id: string;
  bytes: number;
  /** Goes up with each recount: a measurement of the free space from before it does not fit the bytes after it. */
  recounts: number;
}

/** uploads: the metadata and settings of a tus upload; the settings are cleared once the file is complete. */
export interface TusUploadsTable {
  uploadId: string;
  /** `Upload-Metadata` as it came, without a password. */
  metadata: string;
  wishes: JsonText;
}

/** uploads: the blob in which a transfer's small files lie one behind another. */
export interface PacksTable {
  transferId: string;
  storageKey: string;
  sizeBytes: number;
  slots: number;
}

/** transfers */
export interface MonthlyUsageTable {
  userId: string;
  month: string;
  bytes: number;
}

/**
 * transfers: how much each account has, held against the quotas. Announcing files adds to it; removing them does not
 * subtract. A recount replaces these upper bounds by exact numbers when a quota is reached.
 */
export interface AccountCountsTable {
  userId: string;
  openUploads: Generated<number>;
  drafts: Generated<number>;
  /** With drafts. */
  transfers: Generated<number>;
  /** With open uploads. */
  files: Generated<number>;
  /** The last recount; 0: never. */
  countedAt: Generated<Instant>;
}

/** downloads (notices: noticedAt; analytics: country and what is counted) */
export interface DownloadsTable {
  id: string;
  transferId: string;
  /** null: a zip. */
  fileId: string | null;
  /** Which files the zip holds (`contracts/transfers/selection.ts`); null: all that there were. */
  selection: string | null;
  /** Of a zip of all files: the transfer's `zipCount` with it. Files of a higher `zipBase` joined later. */
  zipNumber: number | null;
  downloadedAt: Instant;
  ipAddress: string | null;
  userAgent: string | null;
  completedAt: Instant | null;
  /** Of the whole file or zip; null for downloads of the time before this was noted. */
  sizeBytes: number | null;
  /** The furthest byte that was handed to the client so far, as noted now and then. */
  reachedBytes: Generated<number>;
  /** 1 while so little of it was delivered that its place may be given back. */
  isReturnable: Generated<Flag>;
  /** When its bytes last moved, give or take a minute; null once it is complete or has been given up. */
  activeAt: Instant | null;
  /** Whose own link it came by; no reference, it stays when the sender takes the recipient away. */
  recipientId: string | null;
  /** notices: when it was told, or found not to be worth telling. */
  noticedAt: Instant | null;
  country: string | null;
  /** analytics: since when the daily totals hold it. */
  countedAt: Instant | null;
  /** analytics: the `completedAt` that they hold; a download may be completed after it was counted. */
  countedCompletedAt: Instant | null;
}

/** downloads: how many places of a transfer one claimant was given back. */
export interface PlaceReturnsTable {
  transferId: string;
  /** A keyed hash of the recipient, or of the address. */
  claimantKey: string;
  count: number;
}

/** analytics (notices: noticedAt) */
export interface TransferViewsTable {
  /** Made of transfer, visitor and half hour, so that two of the same are one. */
  id: string;
  transferId: string;
  viewedAt: Instant;
  ipAddress: string | null;
  userAgent: string | null;
  country: string | null;
  city: string | null;
  referer: string | null;
  noticedAt: Instant | null;
  /** Since when the daily totals hold it. */
  countedAt: Instant | null;
}

/** previews: what each file is by its own bytes, and how far its picture is. */
export interface FilePreviewsTable {
  fileId: string;
  /** null: nothing that can be looked at. */
  kind: 'image' | 'pdf' | 'video' | 'audio' | 'text' | null;
  /** By its first bytes, never what the sender declared. */
  mimeType: string | null;
  /** 'none': no picture is to be made of it. */
  state: 'none' | 'waiting' | 'done' | 'failed';
  /** Lower ones get their picture first. */
  rank: number;
  /** Tries of its picture, counted before they are made. */
  attempts: Generated<number>;
  createdAt: Instant;
}

/** previews */
export interface FileThumbnailsTable {
  id: string;
  fileId: string;
  storageKey: string;
  mimeType: string;
  width: number;
  height: number;
  sizeBytes: number;
  createdAt: Instant;
  /** The larger picture of the lightbox. */
  previewStorageKey: string | null;
  previewSizeBytes: number | null;
}

/**
 * analytics: what happened on one day (UTC, `YYYY-MM-DD`); a completion counts on the day its download began.
 * `dimension` and `value`: 'all' and ''; 'country' and its code, 'ZZ' for none; 'referer' and its address, ''
 * for none; 'device' and its kind; 'file' and the file's id, `#` and its position for a selection with it, ''
 * for a zip of all files. All but 'all' are held by month as well: 'country-month' … with `YYYY-MM` as the day.
 */
export interface TransferTotalsTable {
  transferId: string;
  day: string;
  dimension: string;
  value: string;
  views: Generated<number>;
  downloads: Generated<number>;
  completed: Generated<number>;
}

/** analytics: the same over all transfers of a user, also those that are deleted, by 'transfer' instead of 'file'. */
export interface UserTotalsTable {
  userId: string;
  day: string;
  dimension: string;
  value: string;
  views: Generated<number>;
  downloads: Generated<number>;
  completed: Generated<number>;
}

/** downloads: reports about a transfer (admin: settledAt). */
export interface AbuseReportsTable {
  id: string;
  transferId: string;
  reason: string;
  details: string | null;
  reporterEmail: string | null;
  ipAddress: string | null;
  createdAt: Instant;
  settledAt: Instant | null;
}

/** billing */
export interface CouponsTable {
  id: string;
  code: string;
  discountPercent: number;
  freeMonths: number;
  tier: 'pro' | 'premium';
  maxUses: number | null;
  currentUses: Generated<number>;
  expiresAt: Instant | null;
  createdAt: Instant;
}

/** billing: a use of a coupon, taken when a subscription is begun and given back if it is never paid. */
export interface CouponRedemptionsTable {
  id: string;
  couponId: string;
  userId: string;
  providerSubscriptionId: string | null;
  state: 'held' | 'redeemed';
  createdAt: Instant;
}

/** billing: what the provider said last. */
export interface SubscriptionsTable {
  id: string;
  userId: string;
  /** 'off' is never stored: no subscription begins there. */
  provider: 'stripe' | 'demo' | 'off';
  tier: 'pro' | 'premium';
  status: 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';
  providerSubscriptionId: string;
  couponId: string | null;
  /** Cents a month, before the discount. */
  priceCents: Generated<number>;
  discountPercent: Generated<number>;
  periodStartsAt: Instant | null;
  renewsAt: Instant | null;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: Generated<Flag>;
  scheduledTier: 'pro' | 'premium' | null;
  scheduledPriceCents: number | null;
  cardBrand: string | null;
  cardLast4: string | null;
  /** When a payment first failed, and until when the plan continues nevertheless. */
  failedAt: Instant | null;
  graceEndsAt: Instant | null;
  endedAt: Instant | null;
  /** Of which period's end its owner has been reminded. */
  remindedOf: Instant | null;
  /** Rises with each look at the provider: an answer to an older look is not written over a newer one. */
  looks: Generated<number>;
  createdAt: Instant;
  updatedAt: Instant;
}

/** billing */
export interface InvoicesTable {
  id: string;
  userId: string;
  providerInvoiceId: string;
  providerSubscriptionId: string | null;
  tier: 'pro' | 'premium';
  number: string | null;
  status: 'open' | 'paid' | 'void' | 'refunded';
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  url: string | null;
  /** When its payer was mailed the receipt. */
  receiptSentAt: Instant | null;
  createdAt: Instant;
}

/** billing: who changes a user's subscription right now; one call at a time. */
export interface BillingTurnsTable {
  userId: string;
  turnId: string;
  /** A call that died with its process gives its turn up then. */
  endsAt: Instant;
}

/** platform/payments (demo): what Stripe would keep. */
export interface DemoSubscriptionsTable {
  id: string;
  customerId: string;
  clientSecret: string;
  tier: 'pro' | 'premium';
  priceCents: number;
  discountPercent: Generated<number>;
  status: 'incomplete' | 'active' | 'trialing' | 'past_due' | 'ended';
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  freeUntil: Instant | null;
  cancelAtPeriodEnd: Generated<Flag>;
  scheduledTier: 'pro' | 'premium' | null;
  scheduledPriceCents: number | null;
  /** The card that is charged; the one that ends in 0341 is declined at each renewal. */
  cardLast4: string | null;
  failedAt: Instant | null;
  endedAt: Instant | null;
  createdAt: Instant;
}

/** platform/payments (demo) */
export interface DemoInvoicesTable {
  id: string;
  customerId: string;
  subscriptionId: string;
  clientSecret: string;
  tier: 'pro' | 'premium';
  number: string;
  status: 'open' | 'paid' | 'void' | 'refunded';
  amountCents: number;
  periodStartsAt: Instant;
  periodEndsAt: Instant;
  createdAt: Instant;
}

/** billing: provider events already handled. */
export interface PaymentEventsTable {
  id: string;
  type: string;
  createdAt: Instant;
}

/** ads */
export interface AdsTable {
  id: string;
  type: 'image' | 'video';
  title: string;
  url: string | null;
  storageKey: string | null;
  filename: string | null;
  mimeType: string | null;
  sizeBytes: number | null;
  videoType: string | null;
  durationSeconds: Generated<number>;
  priority: Generated<number>;
  startDate: Instant | null;
  endDate: Instant | null;
  isActive: Generated<Flag>;
  createdAt: Instant;
  views: Generated<number>;
  clicks: Generated<number>;
}

/** admin: who did what. Rows stay when the actor or the subject is gone. */
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

/** transfers */
export interface EmailResendsTable {
  id: string;
  transferId: string;
  userId: string;
  resentAt: Instant;
}

/** invitations */
export interface UploadInvitationsTable {
  id: string;
  senderId: string;
  token: string;
  title: string;
  message: string | null;
  expiresAt: Instant;
  createdAt: Instant;
  isActive: Generated<Flag>;
  /** Bytes; null: as the sender's plan allows. */
  maxFileSize: number | null;
  maxTotalSize: number | null;
  maxFiles: Generated<number>;
  /** Endings of file names, without the dot; empty: any. */
  allowedTypes: Generated<JsonText>;
  /** The limits hold for each visit, not for all visits together. */
  isRecurring: Generated<Flag>;
}

/** invitations: a visit. Its code, and since that was right the visitor's right to upload. */
export interface UploadInvitationVerificationsTable {
  id: string;
  invitationId: string;
  recipientEmail: string;
  emailKey: Generated<string>;
  codeHash: string;
  /** Keyed hash of the network address that asked for the code; null for codes of the previous release. */
  askedFrom: string | null;
  /** Tries from there so far, and from all other addresses. Counted before the code is compared. */
  askerAttempts: Generated<number>;
  attempts: Generated<number>;
  verified: Generated<Flag>;
  verifiedAt: Instant | null;
  /** Of the code. */
  expiresAt: Instant;
  createdAt: Instant;
}

/** platform/jobs */
export interface JobsTable {
  id: string;
  name: string;
  payload: JsonText;
  /** Two waiting jobs with the same key are one. */
  uniqueKey: string | null;
  runAt: Instant;
  attempts: Generated<number>;
  leaseId: string | null;
  leasedUntil: Instant | null;
  lastError: string | null;
  /** Set when it was given up; a finished job's row is gone. */
  failedAt: Instant | null;
  createdAt: Instant;
}

/** platform/mail: the outbox. The body is emptied once the mail is sent. */
export interface MailsTable {
  id: string;
  kind: string;
  transferId: string | null;
  userId: string | null;
  recipient: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  state: 'queued' | 'sent' | 'failed' | 'dropped';
  attempts: Generated<number>;
  /** Not sent after this instant (codes). */
  sendBefore: Instant | null;
  lastError: string | null;
  createdAt: Instant;
  sentAt: Instant | null;
  /** The token of List-Unsubscribe, for mails one can end. */
  unsubscribeToken: string | null;
}

/** platform/mail: addresses that take no more transfer mails. */
export interface MailOptOutsTable {
  emailKey: string;
  createdAt: Instant;
}

/** platform/http: counters behind rate limits that must survive a restart. */
export interface RateCountersTable {
  key: string;
  windowEndsAt: Instant;
  count: number;
}

/** platform/http: creating calls that named themselves, and what was answered to the first of each. */
export interface IdempotencyKeysTable {
  /** Made of the caller and the key it sent. */
  id: string;
  userId: string;
  requestHash: string;
  /** Whose run it is; null once it is answered. */
  runId: string | null;
  /** The longest time that a dead run blocks others. */
  runsUntil: Instant;
  /** Sealed: some answers hold secrets. */
  outcome: string | null;
  expiresAt: Instant;
}

/** platform/storage (S3 only): a running multipart upload. */
export interface StorageMultipartsTable {
  storageKey: string;
  multipartId: string;
  createdAt: Instant;
  carriesCrc32: Generated<Flag>;
}

/** platform/storage (S3 only): acknowledged parts, until the blob is removed. */
export interface StoragePartsTable {
  storageKey: string;
  partIndex: number;
  sizeBytes: number;
  crc32: number;
  etag: string;
}

/** platform/storage (S3 only): the CRC-32 for which a part's address was signed, until the blob is removed. */
export interface StorageDirectPartsTable {
  storageKey: string;
  partIndex: number;
  crc32: number;
}

/** platform/leases: short-lived locks of processes. An end in the past means that the lease is free. */
export interface LeasesTable {
  key: string;
  /** '' for the key as a whole. */
  slot: string;
  leaseId: string;
  /** Names the process. */
  holder: string;
  endsAt: Instant;
  isWanted: Generated<number>;
  isToEnd: Generated<number>;
}

export interface Database {
  users: UsersTable;
  sessions: SessionsTable;
  emailVerificationCodes: EmailVerificationCodesTable;
  passwordResets: PasswordResetsTable;
  accountInvitations: AccountInvitationsTable;
  emailChanges: EmailChangesTable;
  accountAlerts: AccountAlertsTable;
  userPreferences: UserPreferencesTable;
  apiKeys: ApiKeysTable;
  webhooks: WebhooksTable;
  webhookDeliveries: WebhookDeliveriesTable;
  settings: SettingsTable;
  transfers: TransfersTable;
  transferRecipients: TransferRecipientsTable;
  files: FilesTable;
  uploads: UploadsTable;
  diskReservations: DiskReservationsTable;
  tusUploads: TusUploadsTable;
  packs: PacksTable;
  monthlyUsage: MonthlyUsageTable;
  accountCounts: AccountCountsTable;
  downloads: DownloadsTable;
  placeReturns: PlaceReturnsTable;
  transferViews: TransferViewsTable;
  filePreviews: FilePreviewsTable;
  fileThumbnails: FileThumbnailsTable;
  transferTotals: TransferTotalsTable;
  userTotals: UserTotalsTable;
  abuseReports: AbuseReportsTable;
  coupons: CouponsTable;
  couponRedemptions: CouponRedemptionsTable;
  subscriptions: SubscriptionsTable;
  invoices: InvoicesTable;
  billingTurns: BillingTurnsTable;
  demoSubscriptions: DemoSubscriptionsTable;
  demoInvoices: DemoInvoicesTable;
  paymentEvents: PaymentEventsTable;
  ads: AdsTable;
  auditLog: AuditLogTable;
  emailResends: EmailResendsTable;
  uploadInvitations: UploadInvitationsTable;
  uploadInvitationVerifications: UploadInvitationVerificationsTable;
  jobs: JobsTable;
  mails: MailsTable;
  heldFiles: HeldFilesTable;
  contentRules: ContentRulesTable;
  fates: FatesTable;
  mailOptOuts: MailOptOutsTable;
  rateCounters: RateCountersTable;
  knownPlaces: KnownPlacesTable;
  leases: LeasesTable;
  idempotencyKeys: IdempotencyKeysTable;
  storageMultiparts: StorageMultipartsTable;
  storageParts: StoragePartsTable;
  storageDirectParts: StorageDirectPartsTable;
}

export type UserRow = Selectable<UsersTable>;
export type SessionRow = Selectable<SessionsTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type TransferRow = Selectable<TransfersTable>;
export type RecipientRow = Selectable<TransferRecipientsTable>;
export type FileRow = Selectable<FilesTable>;
export type UploadRow = Selectable<UploadsTable>;
export type InvitationRow = Selectable<UploadInvitationsTable>;
export type AccountInvitationRow = Selectable<AccountInvitationsTable>;
export type VisitRow = Selectable<UploadInvitationVerificationsTable>;
export type WebhookRow = Selectable<WebhooksTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>;
export type CouponRow = Selectable<CouponsTable>;
export type SubscriptionRow = Selectable<SubscriptionsTable>;
export type AdRow = Selectable<AdsTable>;
export type JobRow = Selectable<JobsTable>;
export type MailRow = Selectable<MailsTable>;
export type HeldFileRow = Selectable<HeldFilesTable>;
export type ContentRuleRow = Selectable<ContentRulesTable>;
export type FateRow = Selectable<FatesTable>;
