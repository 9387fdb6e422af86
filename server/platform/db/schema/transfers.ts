import type { Generated } from 'kysely';
import type { LanguageCode } from '../../../../contracts/values/language/languages.ts';
import type { Flag, Instant, JsonText } from './column-types.ts';

/**
 * transfers; downloads (counts and closedAt). 'draft': files are being added. 'arriving': public, although files are
 * still being uploaded. 'ready': public. 'deleting': hidden; a job deletes its bytes. 'earlier': holds the files that
 * updates have removed from another transfer (`earlierFilesOf`); reached through that transfer only, and removed with it.
 */
export interface TransfersTable {
  id: string;
  userId: string;
  token: string;
  status: 'draft' | 'arriving' | 'ready' | 'deleting' | 'earlier';
  title: string | null;
  message: string | null;
  recipientEmails: JsonText;
  expiresAt: Instant | null;
  scheduledAvailableAt: Instant | null;
  createdAt: Instant;
  readyAt: Instant | null;
  downloadCount: Generated<number>;
  /** Includes refunded downloads. A file's count adds those since it was added (`files.zipBase`). */
  zipCount: Generated<number>;
  maxDownloads: number | null;
  autoDeleteAfterDownloads: Generated<Flag>;
  isExpired: Generated<Flag>;
  passwordHash: string | null;
  /** `EncryptionParams` of an end-to-end encrypted transfer; null for others. Never changes. */
  encryption: JsonText | null;
  /** SHA-256 of the access key of an encrypted transfer, in base64url. */
  accessKeyHash: string | null;
  /** `ReceivedKey` of an encrypted transfer that a visitor sends. Never changes once it is ready. */
  receivedKey: JsonText | null;
  /** When its link was shared before its files had arrived; null otherwise. */
  publishedAt: Instant | null;
  /** How long after `readyAt` a published transfer expires; null if it has a fixed expiry. */
  expiresAfterMs: number | null;
  /** Since when a published transfer is a draft again because its upload stopped. */
  arrivalStoppedAt: Instant | null;
  /** How many rows of `arrivalNotices` there have been. */
  arrivalNoticeCount: Generated<number>;
  /** Null until the first completion or publication. While arriving, the number of announced files. */
  expectedFiles: number | null;
  fileCount: Generated<number>;
  totalBytes: Generated<number>;
  /** Complete files and open uploads; checked against the limit per transfer. */
  reservedBytes: Generated<number>;
  /** When the download limit closed an auto-delete transfer. */
  closedAt: Instant | null;
  /** The visitor's address, for a transfer received through an invitation. */
  receivedFrom: string | null;
  invitationId: string | null;
  /** `visitorKey` of the invitation and the address. */
  visitorKey: string | null;
  visitId: string | null;
  receiptSentAt: Instant | null;
  /** admin */
  takenDownAt: Instant | null;
  /**
   * scanning: derived from its rows in `heldFiles`, null without any. 'checking': files wait for the scanner.
   * 'unscanned': files wait for an administrator. 'partial': the same for files added to an open transfer,
   * whose other files can be downloaded. 'blocked': a file is infected or blocked by its hash.
   */
  scanState: 'checking' | 'unscanned' | 'partial' | 'blocked' | null;
  /** scanning: null if the mails to the recipients are not on hold until the scan ends. */
  announceHeldAt: Instant | null;
  remindedAt: Instant | null;
  expiryNoticeAt: Instant | null;
  /** notices: when its owner was last told of damaged files. */
  damageNoticeAt: Instant | null;
  /** notices: when someone last asked the owner to reopen it. */
  reopenAskedAt: Instant | null;
  /** How often bytes of its files were replaced. Caches of storage locations must compare it. */
  repairCount: Generated<number>;
  /** Written by the previous release only. Drop them in the next one. */
  zipSizeBytes: number | null;
  zipTag: string | null;
  zipModifiedAt: Instant | null;
  zipFileCount: number | null;
  /** Of the zip of all files, and their number; only for transfers with many files. */
  zipSummary: JsonText | null;
  /** While 'deleting': until when its owner may undo the deletion. Null once that is over or was never offered. */
  restorableUntil: Instant | null;
  /** Rises with each update. */
  version: Generated<number>;
  /** For a draft whose files will become the next version of this transfer. */
  updatesTransferId: string | null;
  /** The draft of its next version. May have ended. */
  updateDraftId: string | null;
}

/** transfers; downloads (openedAt, downloadedAt); notices (remindedAt). One row per recipient address. */
export interface TransferRecipientsTable {
  id: string;
  transferId: string;
  email: string;
  emailKey: string;
  token: string;
  createdAt: Instant;
  openedAt: Instant | null;
  downloadedAt: Instant | null;
  remindedAt: Instant | null;
}

/** transfers: who wants a mail once everything has arrived. Deleted when the mail is enqueued. */
export interface ArrivalNoticesTable {
  transferId: string;
  emailKey: string;
  email: string;
  /** Of the browser that asked; null if it is none of ours. */
  language: LanguageCode | null;
  createdAt: Instant;
}

/** uploads: the current sealed manifest and thumbnails of an encrypted transfer. */
export interface SealedDocumentsTable {
  transferId: string;
  kind: 'manifest' | 'pictures';
  revision: number;
  storageKey: string;
  sizeBytes: number;
  /** Lower-case hex. */
  sha256: string;
  storedAt: Instant;
  /** 'YYYY-MM' in UTC; the month whose usage includes its bytes. */
  usageMonth: string;
}

/** pickup */
export interface PickupCodesTable {
  transferId: string;
  /** Keyed with the server's secret, from which and `nonce` the code is derived (`server/features/pickup/codes.ts`). */
  codeHash: string;
  nonce: string;
  expiresAt: Instant;
}

/** uploads (creation, repair); downloads (counts); checksums (from sha256 on); notices (damageToldAt) */
export interface FilesTable {
  /** The id of the upload that created it. */
  id: string;
  transferId: string;
  position: number;
  originalName: string;
  /** '/'-separated path including the name; equals `originalName` for a file without a folder. */
  relativePath: string;
  mimeType: string;
  sizeBytes: number;
  crc32: number;
  storageKey: string;
  offset: number;
  uploadedAt: Instant;
  /** When its upload was announced; null for files older than the column. Known before the bytes. */
  announcedAt: Instant | null;
  /** As the sender's computer says; null if it said nothing. */
  modifiedAt: Instant | null;
  isExecutable: Generated<Flag>;
  /** Alone or in a selection, minus refunded downloads of the whole transfer. */
  downloadCount: Generated<number>;
  zipBase: Generated<number>;
  /** Lower-case hex; null until checked. */
  sha256: string | null;
  /** When the stored bytes were compared with `crc32`. */
  checkedAt: Instant | null;
  /** When two checks in a row found the bytes missing or wrong. The file is no longer served. */
  damagedAt: Instant | null;
  /** When the scrub is due; 0 for files older than the scrub. */
  verifyAt: Generated<Instant>;
  verifiedAt: Instant | null;
  /** When a first check found the bytes missing or wrong; null after the second. */
  suspectedAt: Instant | null;
  /** Null again once the file is repaired. */
  damageToldAt: Instant | null;
  /** The first version of its transfer that contains the file, and the first one that no longer does. */
  sinceVersion: Generated<number>;
  untilVersion: number | null;
}

/** uploads: versions of a transfer that an update has replaced. */
export interface TransferVersionsTable {
  transferId: string;
  version: number;
  startedAt: Instant;
  endedAt: Instant;
  fileCount: number;
  totalBytes: number;
}

/**
 * uploads: what an update changes besides adding the files of its draft. An empty path removes the file from the next
 * version; another path adds its bytes there.
 */
export interface PlannedChangesTable {
  draftId: string;
  fileId: string;
  relativePath: string;
}

/** transfers: events of transfers and uploads, kept for 90 days. Ids only, no personal data. */
export interface FatesTable {
  id: string;
  kind: 'transfer' | 'upload';
  transferId: string;
  /** null for an event of a transfer. */
  uploadId: string | null;
  /** SHA-256 of the share token; null for an upload. */
  tokenHash: string | null;
  ownerId: string;
  /** One of `FATE_CAUSES` (contracts/admin/lookup.ts). */
  cause: string;
  at: Instant;
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
  /** Bytes; null for the limits of the sender's plan. */
  maxFileSize: number | null;
  maxTotalSize: number | null;
  maxFiles: Generated<number>;
  /** File extensions without the dot; empty for any. */
  allowedTypes: Generated<JsonText>;
  /** 1: `maxFiles` and `maxTotalSize` apply to each visit; 0: to each visitor's address. */
  isRecurring: Generated<Flag>;
  /**
   * For all visitors together; null: no limit. 0: an invitation of a release before 0032, whose `maxFiles` and
   * `maxTotalSize` were promised for all visitors together.
   */
  totalFilesLimit: Generated<number | null>;
  totalBytesLimit: Generated<number | null>;
  /** 'e2e-1' if visitors must encrypt what they send. Never changes, because the key is in the link. */
  encryption: string | null;
}

/** invitations: a visit, its code and, once verified, the right to upload. */
export interface UploadInvitationVerificationsTable {
  id: string;
  invitationId: string;
  recipientEmail: string;
  emailKey: Generated<string>;
  codeHash: string;
  /** Keyed hash of a network address; null for codes of the previous release. */
  askedFrom: string | null;
  /**
   * Attempts from `askedFrom`; `attempts` counts the others. Both are incremented before the code is
   * compared.
   */
  askerAttempts: Generated<number>;
  attempts: Generated<number>;
  verified: Generated<Flag>;
  verifiedAt: Instant | null;
  /** Of the code. */
  expiresAt: Instant;
  createdAt: Instant;
}
