import type { BlobStore } from '../storage/blob-store.ts';

/** Bytes of a known length, of which any range can be read: a file or a zip. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Opens `[start, end)` for one sequential reading. Throws AppError `file_not_found` when it is gone. */
  open(start: number, end: number): Promise<ByteReader>;
}

export interface ByteReader {
  /**
   * Fills the whole buffer with the next bytes; the caller asks for no more than the range has left and
   * for one buffer at a time. Rejects when the stored bytes are shorter than promised.
   */
  fill(buffer: Buffer): Promise<void>;
  /** Gives up what is open. To be called once, when no `fill` is under way. */
  close(): Promise<void>;
}

/** What reading needs of a blob store. */
export type BlobOpener = Pick<BlobStore, 'openRange'>;

/** Where a file's bytes lie: `sizeBytes` of the blob `storageKey` from `offset` on. */
export type BlobSlice = { storageKey: string; offset: number; sizeBytes: number };

/** Bytes that the server has made itself; small, for all of them are in memory. */
export function bufferSource(bytes: Buffer): ByteSource {
  return {
    sizeBytes: bytes.length,
    async open(start) {
      let next = start;
      return {
        fill: async (buffer) => {
          next += bytes.copy(buffer, 0, next);
        },
        close: async () => undefined,
      };
    },
  };
}

export function blobSource(blobs: BlobOpener, { storageKey, offset, sizeBytes }: BlobSlice): ByteSource {
  return {
    sizeBytes,
    async open(start, end) {
      const range = await blobs.openRange(storageKey, offset + start, offset + end);
      return { fill: (buffer) => range.fill([buffer]), close: () => range.close() };
    },
  };
}
