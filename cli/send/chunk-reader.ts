import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type ChunkTask, createUploadFile, type UploadFile } from '../../client/upload-plan.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { readableReason, type SourceFile } from './collect-files.ts';

export type OutgoingFile = UploadFile & { source: SourceFile; uploadId: string };

export function toOutgoing(source: SourceFile, uploadId: string, received?: Iterable<number>): OutgoingFile {
  return { ...createUploadFile(source.size, received), source, uploadId };
}

type Chunk = { bytes: Buffer; crc: number };

/** Reuses its buffers; there is one for each chunk in flight. */
export class ChunkReader {
  readonly #free: Buffer[] = [];

  /**
   * Reads a chunk and returns the result of `use`, which must not keep the bytes. Throws CommandError if the file has
   * changed since it was collected.
   */
  async with<T>(
    { file, start, end }: ChunkTask<OutgoingFile>,
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
