import type { Readable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';

/**
 * Where an upload's bytes are stored: `sizeBytes` bytes of blob `storageKey` from `offset`. Small files share
 * a blob (a pack). The note of chunk `i` is in slot `firstSlot + i`.
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
  /** If the chunk is refused, the stream is left paused, neither drained nor destroyed. */
  stream: Readable;
  /** Nobody else uses the memory of the stream's pieces: the store may free it. */
  freesPieces?: boolean;
  digest?: ExpectedDigest;
  /** On abort, the chunk is not recorded. */
  signal?: AbortSignal;
  /** False once another process may be writing the chunk; nothing more is written or recorded then. */
  isOurs?(): boolean;
  /**
   * Asked before an acknowledged chunk is replaced by other bytes. The chunk is not acknowledged while it is asked; if it
   * returns false, the chunk is kept. By default it is replaced.
   */
  mayReplace?(): Promise<boolean>;
  /** Incremented by the milliseconds spent waiting for the stream. */
  waited?: { forBytesMs: number };
};

/** A head of the chunk's full length is the chunk. */
export type ChunkHead = { sizeBytes: number; crc32: number };

export type ChunkTail = Omit<ChunkBody, 'digest'> & { head: ChunkHead };

export interface BlobRange {
  /** Fills the views in order. Throws BlobEndsEarly if the blob is too short. */
  fill(views: Buffer[]): Promise<void>;
  close(): Promise<void>;
}

export type StoredBlob = { storageKey: string; sizeBytes: number; modifiedAt: number };

/** `trashedAt` is never earlier than the actual move. */
export type TrashedBlob = { storageKey: string; sizeBytes: number; trashedAt: number };

/**
 * The only interface to stored bytes. Guarantees, tested by `blob-store.suite.ts`:
 * - `writeChunk` resolves only once every byte is stored. The chunk is then listed, even after kill -9.
 * - If `writeChunk` rejects, the chunk is not listed, or keeps its earlier bytes if it was already
 * acknowledged.
 * - After `seal`, the bytes survive a power cut.
 * The caller runs at most one `writeChunk` per (place, index) at a time. Different chunks may run in
 * parallel.
 */
export interface BlobStore {
  readonly packsSmallFiles: boolean;

  /** Whether `openRange` reads the acknowledged chunks of an upload that is not sealed yet. */
  readonly readsOpenUploads: boolean;

  readonly direct?: DirectAccess | undefined;

  /** Disk: preallocates. S3: begins a multipart upload. Idempotent. */
  prepare(place: Place): Promise<void>;

  /**
   * The chunk must have the length that place and index imply. Throws AppError `wrong_chunk_length`,
   * `chunk_too_long`, `chunk_cut_short` (the stream broke), `unavailable` (aborted, or lease lost),
   * `digest_mismatch`, `chunk_index_out_of_range`, `chunk_differs` (`mayReplace` refused), `storage_full`,
   * `upload_not_found` (never prepared, or removed).
   */
  writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote>;

  /** 0 bytes with CRC 0 if nothing is stored. */
  findHead(place: Place, index: number): Promise<ChunkHead>;

  /**
   * Appends to a chunk's head; keeps the bytes that arrived even if the stream breaks. The new head survives
   * kill -9, but perhaps not a power cut. At most one writer per (place, index). Throws AppError
   * `chunk_too_long`, `storage_full`, `upload_not_found`; the head is unchanged then.
   */
  growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead>;

  /** In index order. */
  listChunks(place: Place): Promise<ChunkNote[]>;

  /**
   * Makes completed files durable and readable. Idempotent. Batched, so that a thousand small files cost one
   * sync. Throws AppError `chunks_missing` with `details.missing` (indexes) and `details.position` (index
   * into `places`).
   */
  seal(places: Place[]): Promise<SealedFile[]>;

  /** Frees the space of an unfinished upload. In a pack, only its notes are deleted. Idempotent. */
  discard(place: Place): Promise<void>;

  /** `end` is exclusive. Throws AppError `file_not_found`. */
  openRange(storageKey: string, start: number, end: number): Promise<BlobRange>;

  remove(storageKey: string): Promise<void>;

  list(): AsyncIterable<StoredBlob>;

  /** Durable and atomic; idempotent. The blob stays readable, and reading it may restore it. */
  moveToTrash(blob: StoredBlob, now: number): Promise<void>;

  listTrash(): AsyncIterable<TrashedBlob>;

  /** False if it was not in the trash. Idempotent. */
  restoreFromTrash(storageKey: string): Promise<boolean>;

  removeFromTrash(storageKey: string): Promise<void>;

  /** At most 250 ms old and minus what arriving chunks may use. Undefined for stores without a limit (S3). */
  freeSpace(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;

  /** Throws unless the store responds. */
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
 * Transfers between browser and bucket that bypass this server. While `isOpen` is false, or whenever a method
 * returns undefined, bytes go through this server.
 */
export interface DirectAccess {
  /** Scheme, host and port of all signed URLs. */
  readonly origin: string;
  readonly isOpen: boolean;

  /**
   * Undefined for a file of one chunk (the URL would outlive the upload and could replace the file), and if
   * the chunk's URL was signed for another CRC-32. Throws AppError `chunk_index_out_of_range`.
   */
  signChunk(place: Place, note: ChunkNote): Promise<SignedPart | undefined>;

  /** Records those of the signed chunks that are complete in the bucket, and returns their indexes. */
  confirmChunks(place: Place, indexes: number[]): Promise<number[]>;

  /** Undefined if the blob doesn't exist or isn't exactly one file. */
  signRead(blob: { storageKey: string; sizeBytes: number }, head: SignedRead): Promise<string | undefined>;

  /**
   * Tries everything a page at `pageOrigin` would do, then opens or closes direct access. Throws
   * DirectRefusal.
   */
  verify(pageOrigin: string): Promise<void>;
}

export class DirectRefusal extends Error {
  override name = 'DirectRefusal';
  readonly fix: string;

  constructor(found: string, { fix, cause }: { fix: string; cause?: unknown }) {
    super(found, { cause });
    this.fix = fix;
  }
}

/** The blob is shorter than its row says. Retrying doesn't help. */
export class BlobEndsEarly extends Error {
  constructor(missingBytes: number) {
    super(`The blob ends ${missingBytes} bytes before the range does`);
  }
}

/** In bytes. Throws AppError `chunk_index_out_of_range`. */
export function chunkLengthAt(place: Place, index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= place.chunkCount) {
    throw new AppError('chunk_index_out_of_range', { details: { totalChunks: place.chunkCount, index } });
  }
  return Math.min(place.chunkSize, place.sizeBytes - index * place.chunkSize);
}
