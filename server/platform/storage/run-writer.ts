import { MAX_BUFFERS_PER_CALL } from './positional-io.ts';
import type { WriteQueue } from './write-queue.ts';

/** Runs end on multiples of this many bytes of the blob, so that no page is written by two calls. */
const RUN_BYTES = 1024 * 1024;
/** One run is being written while the next arrives; then the sender waits. */
const MAX_RUNS_IN_FLIGHT = 2;

/**
 * Gathers what arrives, uncopied, into runs of about 1 MiB and queues them. A run also ends when it has
 * as many pieces as one call takes: a client that sends byte by byte must not fill the memory with buffers.
 */
export class RunWriter {
  readonly #queue: WriteQueue;
  readonly #inFlight: Promise<void>[] = [];
  #position: number;
  #pieces: Buffer[] = [];
  #runBytes = 0;

  /** `position` is where in the blob the first byte goes. */
  constructor(queue: WriteQueue, position: number) {
    this.#queue = queue;
    this.#position = position;
  }

  /** Takes the next bytes. A promise means: enough for now. */
  take(bytes: Buffer): Promise<void> | undefined {
    let rest = bytes;
    while (rest.length > 0) {
      const room = RUN_BYTES - ((this.#position + this.#runBytes) % RUN_BYTES);
      const piece = rest.length > room ? rest.subarray(0, room) : rest;
      this.#pieces.push(piece);
      this.#runBytes += piece.length;
      rest = rest.subarray(piece.length);
      if (piece.length === room || this.#pieces.length === MAX_BUFFERS_PER_CALL) this.#queueRun();
    }
    return this.#inFlight.length >= MAX_RUNS_IN_FLIGHT ? this.#inFlight[0] : undefined;
  }

  /** Resolves when all that was taken is in the file. Throws what a write threw. */
  async finish(): Promise<void> {
    if (this.#runBytes > 0) this.#queueRun();
    await Promise.all(this.#inFlight);
  }

  /** Drops what is not queued yet and waits for the rest, so that nothing is written after it resolved. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  #queueRun(): void {
    const write = this.#queue.write(this.#pieces, this.#position);
    this.#inFlight.push(write);
    // A failed write stays in the list, so that `finish` meets it.
    write.then(
      () => this.#inFlight.splice(this.#inFlight.indexOf(write), 1),
      () => undefined,
    );
    this.#position += this.#runBytes;
    this.#pieces = [];
    this.#runBytes = 0;
  }
}
