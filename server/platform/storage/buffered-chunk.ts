import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { explainDiskError } from './disk/disk-errors.ts';

const READ_BYTES = 256 * 1024;

/** How many bytes of chunks may lie in memory over all uploads. */
export class MemoryBudget {
  #freeBytes: number;

  constructor(limitBytes: number) {
    this.#freeBytes = limitBytes;
  }

  acquire(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  release(bytes: number): void {
    this.#freeBytes += bytes;
  }
}

/**
 * A chunk held until S3 has it: S3 gets only whole, checked chunks, and gets them again after a fault.
 * It is the list of its arriving buffers; when the budget is used up, what follows goes to a temporary file.
 * (Waiting for memory instead would let a few slow senders stop everybody's uploads.)
 */
export class BufferedChunk {
  readonly #budget: MemoryBudget;
  readonly #folder: string;
  readonly #buffers: Buffer[] = [];
  #memoryBytes = 0;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #writing: Promise<void> | undefined;

  /** `folder` takes the temporary files. */
  constructor(budget: MemoryBudget, folder: string) {
    this.#budget = budget;
    this.#folder = folder;
  }

  /** Adds the next bytes; wait for the promise, if there is one. Throws AppError `storage_full`. */
  add(bytes: Buffer): Promise<void> | undefined {
    if (this.#fileBytes === 0 && this.#budget.acquire(bytes.length)) {
      this.#buffers.push(bytes);
      this.#memoryBytes += bytes.length;
      return undefined;
    }
    this.#writing = this.#append(bytes);
    return this.#writing;
  }

  /** The whole chunk from its start, as often as asked for. */
  async *open(): AsyncGenerator<Buffer> {
    yield* this.#buffers;
    for (let position = 0; position < this.#fileBytes; ) {
      const view = Buffer.allocUnsafe(Math.min(READ_BYTES, this.#fileBytes - position));
      const { bytesRead } = await this.#file!.read(view, 0, view.length, position);
      if (bytesRead === 0) throw new Error('The held chunk was cut short');
      position += bytesRead;
      yield view.subarray(0, bytesRead);
    }
  }

  async release(): Promise<void> {
    this.#budget.release(this.#memoryBytes);
    this.#memoryBytes = 0;
    this.#buffers.length = 0;
    // A sender may vanish while its last bytes are still being written.
    await this.#writing?.catch(() => {});
    await this.#file?.close();
    this.#file = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    const position = this.#fileBytes;
    this.#fileBytes += bytes.length;
    try {
      this.#file ??= await openUnnamedFile(this.#folder);
      for (let written = 0; written < bytes.length; ) {
        const rest = bytes.length - written;
        written += (await this.#file.write(bytes, written, rest, position + written)).bytesWritten;
      }
    } catch (error) {
      throw explainDiskError(error);
    }
  }
}

/** A file without a name: it is gone with its descriptor, also after kill -9. */
async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `sendwell-chunk-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
