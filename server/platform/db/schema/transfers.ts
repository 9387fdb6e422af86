import type { Generated } from 'kysely';
import type { Flag, Instant, JsonText } from './column-types.ts';

/**
 * transfers; downloads (counts and closedAt). 'draft': files are being added. 'ready': public. 'deleting': gone for
 * everybody; a job still has to delete its bytes.
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
   * Downloads of the whole transfer, including refunded ones. A file's count adds those since it was added
   * (`files.zipBase`).
   */
  zipCount: Generated<number>;
  maxDownloads: number | null;
  autoDeleteAfterDownloads: Generated<Flag>;
  isExpired: Generated<Flag>;
  passwordHash: string | null;
  /** Files that the sender announced; null until the first completion. */
  expectedFiles: number | null;
  fileCount: Generated<number>;
  totalBytes: Generated<number>;
  /** Bytes of complete files and open uploads, checked against the limit per transfer. */
  reservedBytes: Generated<number>;
  /** When the download limit closed an auto-delete transfer to new downloads. */
  closedAt: Instant | null;
  /** The visitor's email address, for a transfer received through an invitation. */
  receivedFrom: string | null;
  invitationId: string | null;
  /** The visitor who uploads it (`visitorKey` of the invitation and the address), and the visit. */
  visitorKey: string | null;
  visitId: string | null;
  /** invitations: when the list of received files was mailed to the visitor. */
  receiptSentAt: Instant | null;
  /** admin: when it was closed to everybody but its owner. */
  takenDownAt: Instant | null;
  /**
   * scanning: why nobody can download it; derived from its rows in `heldFiles`, null without any. 'checking': files
   * wait for the scanner. 'unscanned': files could not be scanned and wait for an administrator. 'partial': the same
   * for files added to an open transfer, whose other files can be downloaded. 'blocked': a file is infected or was
   * blocked by its hash.
   */
  scanState: 'checking' | 'unscanned' | 'partial' | 'blocked' | null;
  /**
   * scanning: when the mails to the recipients were put on hold until the scan ends; null if they were never held or
   * have been sent.
   */
  announceHeldAt: Instant | null;
  /** notices: when the reminders before expiry were sent. */
  remindedAt: Instant | null;
  /** notices: when the owner was notified of the expiry. */
  expiryNoticeAt: Instant | null;
  /** uploads: how often bytes of its files were replaced. Caches of storage locations must compare it. */
  repairCount: Generated<number>;
  /** The zip of all files when there were `zipFileCount` of them; only for transfers with many files. */
  zipSizeBytes: number | null;
  zipTag: string | null;
  zipModifiedAt: Instant | null;
  zipFileCount: number | null;
}

/** transfers; downloads (openedAt, downloadedAt); notices (remindedAt). One row per recipient address. */
export interface TransferRecipientsTable {
  id: string;
  transferId: string;
  email: string;
  emailKey: string;
  /** In the recipient's personal link: `?r=`. */
  token: string;
  createdAt: Instant;
  openedAt: Instant | null;
  downloadedAt: Instant | null;
  remindedAt: Instant | null;
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
  /** Downloads of this file alone or in a selection, minus refunded downloads of the whole transfer. */
  downloadCount: Generated<number>;
  zipBase: Generated<number>;
  /** Lower-case hex; null until the stored bytes have been checked. */
  sha256: string | null;
  /** When the stored bytes were compared with `crc32`. */
  checkedAt: Instant | null;
  /** When two checks in a row, minutes apart, found the bytes missing or wrong. The file is no longer served. */
  damagedAt: Instant | null;
  /** When the scrub checks the file next; 0 for files older than the scrub. */
  verifyAt: Generated<Instant>;
  /** When the last check found the bytes right. */
  verifiedAt: Instant | null;
  /** When a first check found the bytes missing or wrong; null again after the second check, whatever its result. */
  suspectedAt: Instant | null;
  /** When the owner was notified of the damage; null again once it is repaired. */
  damageToldAt: Instant | null;
}

/**
 * transfers: one row per event in the life of a transfer or upload, kept for 90 days. Contains ids only, no personal
 * data.
 */
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
  /** 1: the limits apply to each visit instead of all visits together. */
  isRecurring: Generated<Flag>;
}

/** invitations: a visit, with its code and, once verified, the visitor's right to upload. */
export interface UploadInvitationVerificationsTable {
  id: string;
  invitationId: string;
  recipientEmail: string;
  emailKey: Generated<string>;
  codeHash: string;
  /** Keyed hash of the network address that requested the code; null for codes of the previous release. */
  askedFrom: string | null;
  /**
   * `askerAttempts` counts attempts from that address, `attempts` those from all others. Both are incremented before
   * the code is compared.
   */
  askerAttempts: Generated<number>;
  attempts: Generated<number>;
  verified: Generated<Flag>;
  verifiedAt: Instant | null;
  /** When the code expires. */
  expiresAt: Instant;
  createdAt: Instant;
}
