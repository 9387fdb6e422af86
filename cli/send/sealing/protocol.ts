/** What the command and its sealing threads send each other. */

/** Of plaintext. SHA-256 in lower-case hex. */
export type FileSums = { crc32: number; sha256: string };

export type SealedFile = {
  /** Identifies the file. */
  place: number;
  path: string;
  /** Bytes of plaintext, and modification time in milliseconds: the file must not have changed. */
  size: number;
  mtimeMs: number;
  fileId: string;
  chunkSize: number;
  totalChunks: number;
  /** Whether its sums are known. */
  isSummed: boolean;
};

export type SealingRequest = {
  id: number;
  file: SealedFile;
  /** Without it, only the rest of the file is summed. */
  chunk?: { index: number; target: SharedArrayBuffer } | undefined;
};

export type SealingReply = { id: number } & (
  | {
      failure?: undefined;
      /** The sealed chunk is at the beginning of its target. */
      chunk?: { length: number; crc32: number } | undefined;
      /** Of a file that has been read to its end. */
      sums?: FileSums | undefined;
    }
  | { failure: string }
);
