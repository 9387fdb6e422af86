import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { explainDiskError } from './disk/disk-errors.ts';

const READ_BYTES = 256 * 1024;

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
 * Buffers a chunk until S3 has stored it, because S3 gets only complete, checked chunks and may need a retry.
 * Beyond the memory budget, bytes go to a temporary file; waiting for memory would let slow clients block all
 * uploads.
 */
export class BufferedChunk {
  readonly #budget: MemoryBudget;
  readonly #folder: string;
  readonly #buffers: Buffer[] = [];
  #memoryBytes = 0;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #writing: Promise<void> | undefined;

  constructor(budget: MemoryBudget, folder: string) {
    this.#budget = budget;
    this.#folder = folder;
  }

  /** Await the promise, if any, before the next call. Throws AppError `storage_full`. */
  add(bytes: Buffer): Promise<void> | undefined {
    if (this.#fileBytes === 0 && this.#budget.acquire(bytes.length)) {
      this.#buffers.push(bytes);
      this.#memoryBytes += bytes.length;
      return undefined;
    }
    this.#writing = this.#append(bytes);
    return this.#writing;
  }

  async *open(): AsyncGenerator<Buffer> {
    yield* this.#buffers;
    for (let position = 0; position < this.#fileBytes; ) {
      const view = Buffer.allocUnsafe(Math.min(READ_BYTES, this.#fileBytes - position));
      const { bytesRead } = await this.#file!.read(view, 0, view.length, position);
      if (bytesRead === 0) throw new Error('The buffered chunk was truncated');
      position += bytesRead;
      yield view.subarray(0, bytesRead);
    }
  }

  async release(): Promise<void> {
    this.#budget.release(this.#memoryBytes);
    this.#memoryBytes = 0;
    this.#buffers.length = 0;
    // The client may disconnect while its last bytes are being written.
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

/** Unlinked, so that the system frees it even after kill -9. */
async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `sendwell-chunk-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
