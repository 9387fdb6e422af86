import type { Readable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';

/**
 * Where an upload's bytes are stored: `sizeBytes` of the blob `storageKey` (a random name) from `offset` on. Small
 * files share a blob (a pack), so `offset` and `firstSlot` may be above zero. The note of chunk `i` is in slot
 * `firstSlot + i` beside the blob.
 */
export type Place = {
  storageKey: string;
  offset: number;
  sizeBytes: number;
  firstSlot: number;
  chunkSize: number;
  chunkCount: number;
};

/** An acknowledged chunk: all its bytes are stored and have this CRC-32. */
export type ChunkNote = { index: number; crc32: number };

export type SealedFile = { crc32: number };

export type ExpectedDigest = { algorithm: 'crc32' | 'sha-256'; value: Buffer };

export type ChunkBody = {
  index: number;
  /**
   * The raw bytes, with back-pressure. When a chunk is refused, the stream is paused but neither drained nor
   * destroyed: the caller decides after it has responded.
   */
  stream: Readable;
  /** Refuses the chunk if its bytes have another digest. */
  digest?: ExpectedDigest;
  /** Aborts the write. The chunk is not recorded then. */
  signal?: AbortSignal;
  /** False once another process may be writing the chunk. Nothing more is written or recorded then. */
  isOurs?(): boolean;
  /** Incremented by the milliseconds that the store spent waiting for the stream. */
  waited?: { forBytesMs: number };
};

/** The stored beginning of a chunk, with its CRC-32. A head of the chunk's full length is the chunk. */
export type ChunkHead = { sizeBytes: number; crc32: number };

export type ChunkTail = Omit<ChunkBody, 'digest'> & { head: ChunkHead };

export interface BlobRange {
  /** Fills the views in order with the next bytes of the range. Throws BlobEndsEarly if the blob is shorter. */
  fill(views: Buffer[]): Promise<void>;
  close(): Promise<void>;
}

export type StoredBlob = { storageKey: string; sizeBytes: number; modifiedAt: number };

/** A blob in the trash. `trashedAt` is never earlier than the actual move. */
export type TrashedBlob = { storageKey: string; sizeBytes: number; trashedAt: number };

/**
 * The only interface to stored bytes. Implemented for disk, S3 and memory; `blob-store.suite.ts` tests that they
 * behave the same. Guarantees:
 * - `writeChunk` resolves only once every byte is stored. The chunk is then listed, even after kill -9.
 * - If `writeChunk` rejects, the chunk is not listed, unless it was acknowledged before: then the earlier bytes
 * stay.
 * - After `seal`, the bytes survive a power cut.
 * The caller runs at most one `writeChunk` per (place, index) at a time. Different chunks may be written in
 * parallel and in any order.
 */
export interface BlobStore {
  readonly packsSmallFiles: boolean;

  /** Set when the store supports direct access and it is enabled. */
  readonly direct?: DirectAccess | undefined;

  /** Prepares a new upload (disk: preallocates; S3: begins a multipart upload). Idempotent. */
  prepare(place: Place): Promise<void>;

  /**
   * Writes one chunk of exactly the length that place and index imply. Throws AppError `wrong_chunk_length` (ended
   * early), `chunk_too_long`, `chunk_cut_short` (the stream broke), `unavailable` (aborted, or the lease was lost),
   * `digest_mismatch`, `chunk_index_out_of_range`, `storage_full` (also below the reserve of `reserveOf`),
   * `upload_not_found` (never prepared, or removed).
   */
  writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote>;

  /** The stored head of a chunk: 0 bytes with CRC 0 if nothing is stored. */
  findHead(place: Place, index: number): Promise<ChunkHead>;

  /**
   * Appends to a chunk's head and keeps the bytes that arrive even if the stream ends or breaks early. Resolves with
   * the new head, which survives kill -9 but perhaps not a power cut. `head` is the result of `findHead`. At most one
   * writer per (place, index), as with `writeChunk`, which replaces the head. Throws AppError `chunk_too_long`,
   * `storage_full`, `upload_not_found`; the head is unchanged then.
   */
  growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead>;

  /** The acknowledged chunks, in index order. */
  listChunks(place: Place): Promise<ChunkNote[]>;

  /**
   * Makes completed files durable and readable. Takes many places so that a thousand small files cost one sync;
   * concurrent callers share syncs. Throws AppError `chunks_missing` with `details.missing` (indexes) and
   * `details.position` (index into `places`) if a file has gaps. Idempotent.
   */
  seal(places: Place[]): Promise<SealedFile[]>;

  /**
   * Frees the space of an unfinished upload. In a pack, only its notes are deleted; its bytes stay until the pack is
   * removed. Idempotent.
   */
  discard(place: Place): Promise<void>;

  /** Opens `[start, end)` of a blob for one sequential read. Throws AppError `file_not_found` if it doesn't exist. */
  openRange(storageKey: string, start: number, end: number): Promise<BlobRange>;

  remove(storageKey: string): Promise<void>;

  /** Every blob outside the trash, for the sweep's reconciliation. */
  list(): AsyncIterable<StoredBlob>;

  /**
   * Moves a blob to the trash, durably and atomically. `list` no longer includes it. Opening it still works, and may
   * restore it. Idempotent.
   */
  moveToTrash(blob: StoredBlob, now: number): Promise<void>;

  listTrash(): AsyncIterable<TrashedBlob>;

  /** Restores a blob from the trash. False if it was not there. Idempotent. */
  restoreFromTrash(storageKey: string): Promise<boolean>;

  removeFromTrash(storageKey: string): Promise<void>;

  /**
   * Free space, at most 250 ms old and minus what arriving chunks may use; undefined for stores without a limit (S3).
   */
  freeSpace(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;

  /** Throws unless the store responds (readiness). */
  check(): Promise<void>;

  close(): Promise<void>;
}

/** A signed URL that accepts exactly these bytes, any number of times until it expires. */
export type SignedPart = {
  url: string;
  headers: Record<string, string>;
  /** Epoch milliseconds. */
  expiresAt: number;
};

export type SignedRead = { contentType: string; contentDisposition: string };

/**
 * Transfers between browser and bucket that bypass this server. Closed until `verify` has checked the bucket; until
 * then, and whenever a method returns undefined, bytes go through this server.
 */
export interface DirectAccess {
  /** Scheme, host and port of all signed URLs. */
  readonly origin: string;
  readonly isOpen: boolean;

  /**
   * Signs a URL for one chunk with that CRC-32 and its exact length. Undefined for a file of one chunk (the URL would
   * outlive the upload and could replace the file), and if the chunk's URL was signed for another CRC-32. Throws
   * AppError `chunk_index_out_of_range`.
   */
  signChunk(place: Place, note: ChunkNote): Promise<SignedPart | undefined>;

  /** Records the signed chunks that are complete in the bucket, and returns their indexes. */
  confirmChunks(place: Place, indexes: number[]): Promise<number[]>;

  /** Signs a URL to read a blob that is exactly one file; undefined if it isn't, or doesn't exist. */
  signRead(blob: { storageKey: string; sizeBytes: number }, head: SignedRead): Promise<string | undefined>;

  /**
   * Tries everything that a page at `pageOrigin` would do, and opens or closes direct access accordingly. Throws
   * DirectRefusal.
   */
  verify(pageOrigin: string): Promise<void>;
}

/** Why direct access to the bucket doesn't work. */
export class DirectRefusal extends Error {
  override name = 'DirectRefusal';
  readonly fix: string;

  constructor(found: string, { fix, cause }: { fix: string; cause?: unknown }) {
    super(found, { cause });
    this.fix = fix;
  }
}

/** The blob is damaged: it is shorter than its row says. Retrying doesn't help. */
export class BlobEndsEarly extends Error {
  constructor(missingBytes: number) {
    super(`The blob ends ${missingBytes} bytes before the range does`);
  }
}

/** The exact length in bytes of chunk `index`. Throws AppError `chunk_index_out_of_range`. */
export function chunkLengthAt(place: Place, index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= place.chunkCount) {
    throw new AppError('chunk_index_out_of_range', { details: { totalChunks: place.chunkCount, index } });
  }
  return Math.min(place.chunkSize, place.sizeBytes - index * place.chunkSize);
}
