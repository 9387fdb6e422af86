import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type ChunkTask, createUploadFile, type UploadFile } from '../../client/upload-plan.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { encryptedSize } from '../../contracts/transfers/encryption.ts';
import { readableReason, type SourceFile } from './collect-files.ts';
import type { UnfinishedSend } from './journal.ts';
import type { FileSums } from './sealing/protocol.ts';

/** Its size and chunks are those on the server. */
export type OutgoingFile = UploadFile & {
  source: SourceFile;
  /** Index in the journal. */
  place: number;
  uploadId: string;
  /** Of the plaintext of an encrypted file, once it has been read. */
  sums: FileSums | undefined;
};

export function toOutgoing(
  { files, uploadIds, sums }: UnfinishedSend,
  place: number,
  received?: Iterable<number>,
): OutgoingFile {
  const source = files[place]!;
  const file = createUploadFile(wireSize(source), received);
  return { ...file, source, place, uploadId: uploadIds[place] ?? '', sums: sums[place] };
}

/** Bytes that are sent. */
export function wireSize({ size, fileId }: SourceFile): number {
  return fileId === undefined ? size : encryptedSize(size);
}

/** `crc` is the CRC-32 of `bytes`. */
export type Chunk = { bytes: Buffer; crc: number };

export interface ChunkSource {
  /**
   * Reads a chunk and returns the result of `use`, which must not keep the bytes. Throws CommandError if the file has
   * changed since it was collected, or the signal's reason.
   */
  with<T>(task: ChunkTask<OutgoingFile>, signal: AbortSignal, use: (chunk: Chunk) => Promise<T>): Promise<T>;
}

/** Reuses its buffers; there is one for each chunk in flight. */
export class ChunkReader implements ChunkSource {
  readonly #free: Buffer[] = [];

  async with<T>(
    { file, start, end }: ChunkTask<OutgoingFile>,
    _signal: AbortSignal,
    use: (chunk: Chunk) => Promise<T>,
  ): Promise<T> {
    const { source, chunkSize } = file;
    const buffer = this.#acquire(chunkSize);
    try {
      const bytes = buffer.subarray(0, end - start);
      await readUnchanged(source, bytes, start);
      return await use({ bytes, crc: crc32(bytes) });
    } finally {
      this.#free.push(buffer);
    }
  }

  #acquire(chunkSize: number): Buffer {
    const found = this.#free.findIndex(({ length }) => length >= chunkSize);
    const buffer = this.#free.splice(found === -1 ? 0 : found, 1)[0];
    return buffer && buffer.length >= chunkSize
      ? buffer
      : Buffer.allocUnsafeSlow(Math.max(chunkSize, CHUNK_BYTES));
  }
}

/** Checks size and modification time after the read, to detect changes before and during it. */
async function readUnchanged(source: SourceFile, into: Buffer, position: number): Promise<void> {
  const file = await open(source.path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(EXIT.failed, `${source.path}: ${readableReason(error)}.`);
  });
  try {
    let filled = 0;
    while (filled < into.length) {
      const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const { size, mtimeMs } = await file.stat();
    if (filled < into.length || size !== source.size || mtimeMs !== source.mtimeMs)
      throw new CommandError(EXIT.failed, `${source.path} changed while it was being sent.`);
  } finally {
    await file.close();
  }
}
