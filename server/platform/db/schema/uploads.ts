import type { Generated } from 'kysely';
import type { Flag, Instant, JsonText } from './column-types.ts';

/** uploads */
export interface UploadsTable {
  id: string;
  userId: string;
  /** The visitor who uploads; null for the user. */
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
  /** 'YYYY-MM' in UTC: the month whose usage includes its reservation. */
  usageMonth: string;
  createdAt: Instant;
  lastActivityAt: Instant;
  /** Lower bound of the bytes that have arrived, saved from time to time. */
  receivedBytes: Generated<number>;
  /** The damaged file whose bytes this upload replaces; null for a new file. A repair reserves nothing. */
  repairsFileId: string | null;
}

/** uploads: the bytes that open uploads may still write to the disk, in one row. May be too high for a while. */
export interface DiskReservationsTable {
  id: string;
  bytes: number;
  /**
   * Incremented by each recount. A measurement of free space from before a recount doesn't match the bytes after it.
   */
  recounts: number;
}

/** uploads: metadata and settings of a tus upload. The settings are cleared once the file is complete. */
export interface TusUploadsTable {
  uploadId: string;
  /** The `Upload-Metadata` header as received, without a password. */
  metadata: string;
  wishes: JsonText;
}

/** uploads: the blob that contains a transfer's small files one after another. */
export interface PacksTable {
  transferId: string;
  storageKey: string;
  sizeBytes: number;
  slots: number;
}

/** platform/storage (S3 only): a running multipart upload. */
export interface StorageMultipartsTable {
  storageKey: string;
  multipartId: string;
  createdAt: Instant;
  carriesCrc32: Generated<Flag>;
}

/** platform/storage (S3 only): acknowledged parts. Kept until the blob is removed. */
export interface StoragePartsTable {
  storageKey: string;
  partIndex: number;
  sizeBytes: number;
  crc32: number;
  etag: string;
}

/** platform/storage (S3 only): the CRC-32 that a part's URL was signed for. Kept until the blob is removed. */
export interface StorageDirectPartsTable {
  storageKey: string;
  partIndex: number;
  crc32: number;
}
