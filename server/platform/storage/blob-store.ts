import type { Readable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';

/**
 * Where an upload's bytes lie. `storageKey` names a blob (random, never a user's name); the file is
 * `sizeBytes` long from `offset` on. Small files share a pack, so `offset` and `firstSlot` may be above
 * zero: chunk `i` of the file is noted in slot `firstSlot + i` beside the blob.
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

/** A file made durable: the CRC-32 of all its bytes, combined from its chunks' (never re-read). */
export type SealedFile = { crc32: number };

export type ExpectedDigest = { algorithm: 'crc32' | 'sha-256'; value: Buffer };

export type ChunkBody = {
  index: number;
  /**
   * The raw bytes; back-pressure is the writer's. When the chunk is refused, the rest is left unread and
   * the stream paused, neither drained nor destroyed: the caller decides, after it has answered.
   */
  stream: Readable;
  /** Refuse the chunk when its bytes do not have this digest. */
  digest?: ExpectedDigest;
  /** Aborts the write; what was written of this chunk is not noted. */
  signal?: AbortSignal;
  /** False once another process may be writing the chunk: nothing more is written, and nothing noted. */
  isOurs?(): boolean;
  /** The store adds the milliseconds for which it waited for the stream and had nothing else to do. */
  waited?: { forBytesMs: number };
};

/**
 * The beginning of a chunk: so many of its bytes are stored, with this CRC-32. As long as the chunk, it is the chunk.
 */
export type ChunkHead = { sizeBytes: number; crc32: number };

/** What follows a chunk's head, as far as it comes. The stream is left as with `ChunkBody`. */
export type ChunkTail = Omit<ChunkBody, 'digest'> & { head: ChunkHead };

/** A sequential reader over one range of a blob. */
export interface BlobRange {
  /**
   * Fills the views, one after another, with the next bytes of the range. Throws BlobEndsEarly when the blob is
   * shorter.
   */
  fill(views: Buffer[]): Promise<void>;
  close(): Promise<void>;
}

export type StoredBlob = { storageKey: string; sizeBytes: number; modifiedAt: number };

/** A blob in the trash; `trashedAt` is not before the instant at which it was moved there. */
export type TrashedBlob = { storageKey: string; sizeBytes: number; trashedAt: number };

/**
 * The only interface to stored bytes. Implementations: disk, S3, memory; `blob-store.suite.ts` tests them for
 * the same behaviour. Guarantees the caller may rely on:
 * - `writeChunk` resolves only when every byte is stored; the chunk is then listed, also after kill -9.
 *   When it rejects, the chunk is not listed, unless an earlier sending of it was already acknowledged:
 *   then that one stays intact.
 * - The caller runs at most one `writeChunk` per (place, index) at a time. Different chunks may run in
 *   parallel and in any order.
 * - After `seal` resolved, the bytes survive a power cut.
 */
export interface BlobStore {
  /** True when small files of a transfer are laid one behind another in one blob (a pack). */
  readonly packsSmallFiles: boolean;

  /** Set when the store supports direct access and it is enabled. */
  readonly direct?: DirectAccess | undefined;

  /** Makes room for a new upload (disk: preallocate; S3: begin multipart). Idempotent. */
  prepare(place: Place): Promise<void>;

  /**
   * Receives one chunk of exactly the length that place and index imply.
   * Throws AppError `wrong_chunk_length` (ended early), `chunk_too_long`, `chunk_cut_short` (the stream broke),
   * `unavailable` (aborted by its signal, or no longer ours), `digest_mismatch`, `chunk_index_out_of_range`,
   * `storage_full` (also before the disk is full: see `reserveOf`), `upload_not_found` (never prepared, or removed).
   */
  writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote>;

  /** How much of a chunk is stored, from its first byte on; nothing and CRC 0 where there is none of it. */
  findHead(place: Place, index: number): Promise<ChunkHead>;

  /**
   * Continues a chunk behind its head, and keeps what arrives also when the stream ends or breaks before the chunk is
   * complete. Resolves with what is then stored, also after kill -9; a power cut may undo a head.
   * `head` is what `findHead` said; at most one writer per (place, index), as with `writeChunk`, which begins
   * such a chunk anew. Throws AppError `chunk_too_long`, `storage_full`, `upload_not_found`; the head then stays.
   */
  growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead>;

  /** The chunks acknowledged so far, in index order. */
  listChunks(place: Place): Promise<ChunkNote[]>;

  /**
   * Makes completed files durable and readable; syncs are shared by all callers that wait.
   * Takes many places so that a thousand small files cost one sync. Throws AppError `chunks_missing`
   * with `details.missing` (indexes) and `details.position` (index into `places`) when one has gaps. Idempotent.
   */
  seal(places: Place[]): Promise<SealedFile[]>;

  /**
   * Frees the space of an unfinished upload. In a shared pack, only its notes are deleted; its bytes stay until the
   * pack is removed. Idempotent.
   */
  discard(place: Place): Promise<void>;

  /** Opens `[start, end)` of a blob for one sequential reading. Throws AppError `file_not_found` if it is gone. */
  openRange(storageKey: string, start: number, end: number): Promise<BlobRange>;

  /** Removes a blob with all that lies beside it, also from the trash. Idempotent. */
  remove(storageKey: string): Promise<void>;

  /** Every blob outside the trash, for the sweeper's reconciliation. */
  list(): AsyncIterable<StoredBlob>;

  /**
   * Moves a blob into the trash, durably and in one step: a crash leaves it whole, here or there. `list` no longer
   * names it; opening it for reading still works, and may bring it back. Idempotent.
   */
  moveToTrash(blob: StoredBlob, now: number): Promise<void>;

  /** Every blob in the trash. */
  listTrash(): AsyncIterable<TrashedBlob>;

  /** Brings a blob back from the trash. False if it was not there. Idempotent. */
  restoreFromTrash(storageKey: string): Promise<boolean>;

  /** Destroys a blob that is in the trash, and nothing outside it. Idempotent. */
  removeFromTrash(storageKey: string): Promise<void>;

  /**
   * Room left, at most 250 ms old and without what arriving chunks may take; undefined where the store has no such
   * notion (S3).
   */
  freeSpace(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;

  /** Proves that the store answers (readiness). */
  check(): Promise<void>;

  close(): Promise<void>;
}

/** A signed address that accepts exactly these bytes, any number of times until it expires. */
export type SignedPart = {
  url: string;
  /** Must be sent unchanged; the signature covers them. */
  headers: Record<string, string>;
  /** Epoch milliseconds. */
  expiresAt: number;
};

/** Response headers for a signed download. */
export type SignedRead = { contentType: string; contentDisposition: string };

/**
 * Transfers between browser and bucket that bypass this server. Open only after `verify` has verified the bucket; until
 * then, and whenever a method returns undefined, bytes go through this server.
 */
export interface DirectAccess {
  /** Scheme, host and port of all addresses it signs. */
  readonly origin: string;
  readonly isOpen: boolean;

  /**
   * Signs the sending of one chunk with that CRC-32, its exact length, and nothing else. Undefined for a file of
   * one chunk (its address would outlive the upload and could replace the file), and for a chunk whose address
   * was signed for another CRC-32. Throws AppError `chunk_index_out_of_range`.
   */
  signChunk(place: Place, note: ChunkNote): Promise<SignedPart | undefined>;

  /** Records the signed chunks that the bucket really has in full; returns their indexes. */
  confirmChunks(place: Place, indexes: number[]): Promise<number[]>;

  /** Signs the reading of a blob that is exactly one file; undefined when it is not, or is gone. */
  signRead(blob: { storageKey: string; sizeBytes: number }, head: SignedRead): Promise<string | undefined>;

  /**
   * Tries everything that a page at `pageOrigin` would do, and opens or closes direct access accordingly.
   * Throws DirectRefusal.
   */
  verify(pageOrigin: string): Promise<void>;
}

/** Why bytes do not go straight to the bucket. */
export class DirectRefusal extends Error {
  override name = 'DirectRefusal';
  /** How to fix it. */
  readonly fix: string;

  constructor(found: string, { fix, cause }: { fix: string; cause?: unknown }) {
    super(found, { cause });
    this.fix = fix;
  }
}

/** The blob is shorter than its row says: it is damaged, and a retry does not help. */
export class BlobEndsEarly extends Error {
  constructor(missingBytes: number) {
    super(`The blob ends ${missingBytes} bytes before the range does`);
  }
}

/**
 * The exact length in bytes of chunk `index`: `chunkSize`, or what is left for the last one.
 * Throws AppError `chunk_index_out_of_range`.
 */
export function chunkLengthAt(place: Place, index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= place.chunkCount) {
    throw new AppError('chunk_index_out_of_range', { details: { totalChunks: place.chunkCount, index } });
  }
  return Math.min(place.chunkSize, place.sizeBytes - index * place.chunkSize);
}
