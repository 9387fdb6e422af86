import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ChunkTask } from '../../client/upload-plan.ts';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { CommandError, EXIT } from '../exits.ts';
import { readableReason, type SourceFile } from './collect-files.ts';
import type { OutgoingFile } from './outgoing-file.ts';

type ReadChunk = { bytes: Buffer; crc: number };

/** As many buffers as there are lanes, used again and again. */
export class ChunkReader {
  readonly #free: Buffer[] = [];

  /** Resolves with what `use` says; the bytes are lent to it. Throws CommandError when the file is not as it was. */
  async with<T>(
    { file, start, end }: ChunkTask<OutgoingFile>,
    use: (chunk: ReadChunk) => Promise<T>,
  ): Promise<T> {
    const { source, chunkSize } = file;
    const buffer = this.#take(chunkSize);
    try {
      const bytes = buffer.subarray(0, end - start);
      await readUnchanged(source, bytes, start);
      return await use({ bytes, crc: crc32(bytes) });
    } finally {
      this.#free.push(buffer);
    }
  }

  #take(chunkSize: number): Buffer {
    const found = this.#free.findIndex(({ length }) => length >= chunkSize);
    const buffer = this.#free.splice(found === -1 ? 0 : found, 1)[0];
    return buffer && buffer.length >= chunkSize
      ? buffer
      : Buffer.allocUnsafeSlow(Math.max(chunkSize, CHUNK_BYTES));
  }
}

/** Looked at after reading: a change before or during it shows. */
async function readUnchanged(source: SourceFile, into: Buffer, position: number): Promise<void> {
  const file = await open(source.path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(EXIT.failed, `${source.path}: ${readableReason(error)} any more.`);
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
