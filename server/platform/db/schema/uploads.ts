import type { Generated } from 'kysely';
import type { Flag, Instant, JsonText } from './column-types.ts';

/** uploads */
export interface UploadsTable {
  id: string;
  userId: string;
  /** Null for the user. */
  visitorKey: string | null;
  transferId: string;
  state: 'open' | 'complete';
  fileName: string;
  relativePath: string;
  mimeType: string;
  /** As the sender's computer says; null if it said nothing. */
  modifiedAt: Instant | null;
  isExecutable: Generated<Flag>;
  sizeBytes: number;
  chunkSize: number;
  chunkCount: number;
  storageKey: string;
  offset: number;
  firstSlot: number;
  position: number;
  /** 'YYYY-MM' in UTC; the month whose usage includes its reservation. */
  usageMonth: string;
  createdAt: Instant;
  lastActivityAt: Instant;
  /** A lower bound, saved from time to time. */
  receivedBytes: Generated<number>;
  /** The damaged file whose bytes this upload replaces. A repair reserves nothing. */
  repairsFileId: string | null;
  /**
   * For a file that is added to an encrypted transfer whose link works: the manifest's revision when it was announced. A
   * newer one must be stored before the file is complete.
   */
  manifestRevision: number | null;
}

/** uploads: one row. An upper bound of what open uploads may still write. */
export interface DiskReservationsTable {
  id: string;
  bytes: number;
  /** Free space measured before a recount doesn't match the bytes after it. */
  recounts: number;
}

/** uploads: the settings are cleared once the file is complete. */
export interface TusUploadsTable {
  uploadId: string;
  /** The `Upload-Metadata` header without a password. */
  metadata: string;
  wishes: JsonText;
}

/** uploads */
export interface PacksTable {
  transferId: string;
  storageKey: string;
  sizeBytes: number;
  slots: number;
}

/** platform/storage (S3 only) */
export interface StorageMultipartsTable {
  storageKey: string;
  multipartId: string;
  createdAt: Instant;
  carriesCrc32: Generated<Flag>;
}

/** platform/storage (S3 only): acknowledged parts, kept until the blob is removed. */
export interface StoragePartsTable {
  storageKey: string;
  partIndex: number;
  sizeBytes: number;
  crc32: number;
  etag: string;
}

/**
 * platform/storage (S3 only): the CRC-32 that a part's URL was signed for, kept until the blob is removed.
 */
export interface StorageDirectPartsTable {
  storageKey: string;
  partIndex: number;
  crc32: number;
}
