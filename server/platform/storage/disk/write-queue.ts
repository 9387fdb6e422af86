import { MAX_BUFFERS_PER_CALL, writeFully } from './positional-io.ts';

/**
 * Bytes per write. A larger write makes the kernel take larger blocks of memory for the page cache. On virtual machines
 * those are often not backed by the host, and filling them then costs three times as much.
 */
export const WRITE_BYTES = 128 * 1024;

/** Throws if the bytes may no longer be written. */
type WriteGuard = () => void;

type Write = {
  buffers: Buffer[];
  position: number;
  sizeBytes: number;
  guard: WriteGuard | undefined;
  resolve: () => void;
  reject: (error: unknown) => void;
};

/**
 * Runs the writes to one file one at a time. The kernel allows one writer per file anyway, so a second would
 * only block a thread. Adjacent waiting writes are joined into one call.
 */
export class WriteQueue {
  readonly #fd: number;
  readonly #waiting: Write[] = [];
  #isWriting = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Resolves when the bytes are in the page cache. The buffers must not change until then. `guard` is called right
   * before they are written.
   */
  write(buffers: Buffer[], position: number, guard?: WriteGuard): Promise<void> {
    const sizeBytes = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ buffers, position, sizeBytes, guard, resolve, reject });
      if (!this.#isWriting) void this.#writeWaiting();
    });
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const refusal = findRefusal(this.#waiting[0]!);
      if (refusal !== undefined) {
        this.#waiting.shift()!.reject(refusal);
        continue;
      }
      const writes = this.#dequeueNeighbors();
      const buffers = writes.length === 1 ? writes[0]!.buffers : writes.flatMap((write) => write.buffers);
      try {
        await writeFully(this.#fd, buffers, writes[0]!.position);
        for (const write of writes) write.resolve();
      } catch (error) {
        for (const write of writes) write.reject(error);
      }
    }
    this.#isWriting = false;
  }

  #dequeueNeighbors(): Write[] {
    const first = this.#waiting[0]!;
    let count = 1;
    let bufferCount = first.buffers.length;
    let end = first.position + first.sizeBytes;
    for (; count < this.#waiting.length; count += 1) {
      const next = this.#waiting[count]!;
      bufferCount += next.buffers.length;
      const joinedBytes = end + next.sizeBytes - first.position;
      if (next.position !== end) break;
      if (joinedBytes > WRITE_BYTES || bufferCount > MAX_BUFFERS_PER_CALL) break;
      if (findRefusal(next) !== undefined) break;
      end += next.sizeBytes;
    }
    return this.#waiting.splice(0, count);
  }
}

function findRefusal({ guard }: Write): unknown {
  try {
    guard?.();
    return undefined;
  } catch (error) {
    return error;
  }
}
