import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Further lines are dropped. */
const MAX_WAITING_BYTES = 256 * 1024;
const RETRY_BUSY_MS = 50;
const RETRY_BROKEN_MS = 1_000;
/** The longest that the exit may wait for a slow reader. */
const FLUSH_WITHIN_MS = 2_000;
const FLUSH_PAUSE_MS = 10;

let droppedLines = 0;

export function countDroppedLines(): number {
  return droppedLines;
}

/**
 * Writes lines without ever waiting: a pipe that nobody reads or a full disk costs log lines, not the server.
 * A line is written synchronously if the descriptor accepts it, so a crash loses nothing; otherwise it waits
 * in memory up to a limit.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #onLoss: (droppedLines: number) => void;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #droppedLines = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onLoss` is called once lines can be written again. */
  constructor(fd: number, onLoss: (droppedLines: number) => void) {
    this.#fd = openWithoutBlocking(fd);
    this.#onLoss = onLoss;
    process.on('exit', () => this.#flush());
  }

  /** Never throws. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#timer === undefined) {
      const { rest, code } = this.#push(bytes);
      if (rest.length === 0) return;
      // The line may be partly written: keep its rest whatever the limit.
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
 * A descriptor for the same file whose writes return EAGAIN. A pipe or terminal is reopened, because the flag
 * belongs to the open file, which other processes may share.
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
