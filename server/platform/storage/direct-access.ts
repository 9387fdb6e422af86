import type { ChunkNote, Place } from './blob-store.ts';

/** An address with which anybody can send exactly these bytes once or again until it lapses. */
export type SignedPart = {
  url: string;
  /** To be sent along as they are; the signature covers them. */
  headers: Record<string, string>;
  /** Epoch milliseconds. */
  expiresAt: number;
};

/** What the bucket says of a file it gives away. */
export type SignedRead = { contentType: string; contentDisposition: string };

/**
 * Ways past our origin, straight to the bucket. Open only after `prove` has seen that the store keeps what they
 * rely upon: until then, and for all that answers undefined, bytes go through us as always.
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

  /** Notes those of the signed chunks that the bucket really has, in full; returns their indexes. */
  confirmChunks(place: Place, indexes: number[]): Promise<number[]>;

  /** Signs the reading of a blob that is exactly one file; undefined when it is not, or is gone. */
  signRead(blob: { storageKey: string; sizeBytes: number }, head: SignedRead): Promise<string | undefined>;

  /**
   * Tries all of it as a page at `pageOrigin` would, and opens or closes the way by what it finds.
   * Throws DirectRefusal.
   */
  prove(pageOrigin: string): Promise<void>;
}

/** Why bytes do not go straight to the bucket. */
export class DirectRefusal extends Error {
  override name = 'DirectRefusal';
  /** What to do about it. */
  readonly fix: string;

  constructor(found: string, { fix, cause }: { fix: string; cause?: unknown }) {
    super(found, { cause });
    this.fix = fix;
  }
}
