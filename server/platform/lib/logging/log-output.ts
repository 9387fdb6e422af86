import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Lines that wait until the output accepts more. Further lines are dropped. */
const MAX_WAITING_BYTES = 256 * 1024;
const RETRY_BUSY_MS = 50;
const RETRY_BROKEN_MS = 1_000;
/** How long the process's exit may wait for a slow reader. */
const FLUSH_WITHIN_MS = 2_000;
const FLUSH_PAUSE_MS = 10;

let droppedLines = 0;

/** How many log lines this process has dropped since it started. */
export function countDroppedLines(): number {
  return droppedLines;
}

/**
 * Writes lines to a file descriptor and never waits for it: a pipe that nobody reads, a closed pipe and a full disk
 * cost log lines, not the server. A line is written at once if the descriptor takes it, so a crash loses nothing.
 * Otherwise lines wait in memory, in order and up to a limit, and writing is retried; further lines are dropped and
 * counted. A write to a regular file still takes as long as the kernel takes to copy it to its page cache.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #onLoss: (droppedLines: number) => void;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #droppedLines = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onLoss` is called with the number of dropped lines once lines can be written again. */
  constructor(fd: number, onLoss: (droppedLines: number) => void) {
    this.#fd = openWithoutBlocking(fd);
    this.#onLoss = onLoss;
    process.on('exit', () => this.#flush());
  }

  /** Writes a line, which ends with a line break, or queues or drops it. Never throws. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#timer === undefined) {
      const { rest, code } = this.#push(bytes);
      if (rest.length === 0) return;
      // The line may be partly written: its rest is kept whatever the limit, so that no line is truncated.
      this.#enqueue(rest);
      this.#retryLater(code);
    } else if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#droppedLines += 1;
      droppedLines += 1;
    } else {
      this.#enqueue(bytes);
    }
  }

  #enqueue(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #retryLater(code: string): void {
    const pauseMs = code === 'EAGAIN' ? RETRY_BUSY_MS : RETRY_BROKEN_MS;
    this.#timer = setTimeout(() => {
      const stuck = this.#drain();
      if (stuck) return this.#retryLater(stuck);
      this.#timer = undefined;
      this.#reportLoss();
    }, pauseMs).unref();
  }

  #reportLoss(): void {
    if (this.#droppedLines === 0) return;
    const lines = this.#droppedLines;
    this.#droppedLines = 0;
    this.#onLoss(lines);
  }

  #drain(): string | undefined {
    let written = 0;
    let code: string | undefined;
    while (written < this.#waiting.length && code === undefined) {
      const bytes = this.#waiting[written]!;
      const pushed = this.#push(bytes);
      this.#waitingBytes -= bytes.length - pushed.rest.length;
      if (pushed.rest.length === 0) written += 1;
      else {
        this.#waiting[written] = pushed.rest;
        code = pushed.code;
      }
    }
    this.#waiting.splice(0, written);
    return code;
  }

  #push(bytes: Buffer): { rest: Buffer; code: string } {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
      return { rest, code: '' };
    } catch (error) {
      return { rest, code: (error as NodeJS.ErrnoException).code ?? '' };
    }
  }

  /** At exit, gives a slow reader a moment more, but not a broken one. */
  #flush(): void {
    clearTimeout(this.#timer);
    const deadline = performance.now() + FLUSH_WITHIN_MS;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    while (this.#drain() === 'EAGAIN' && performance.now() < deadline) {
      Atomics.wait(sleeper, 0, 0, FLUSH_PAUSE_MS);
    }
  }
}

/**
 * A descriptor for the same file whose writes return EAGAIN instead of waiting. A pipe or terminal is opened once
 * more, because the flag belongs to the open file, which a shell or other processes may share.
 */
function openWithoutBlocking(fd: number): number {
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return fd;
    if (!stat.isSocket()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not on Linux, or not permitted.
  }
  // Node sets the flag when it makes a stream of the descriptor.
  void (fd === 2 ? process.stderr : process.stdout);
  return fd;
}
