import { MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { ByteReader } from '../../lib/byte-source.ts';
import {
  acquireBlock,
  cutOffWhenStalled,
  fillOrDestroy,
  releaseBlocks,
  type Sending,
  SMALL_BLOCK_BYTES,
  writeBlock,
} from './send-blocks.ts';

/** Proxies commonly end a response that has been silent for 60 seconds. */
export const SILENT_MS = 50 * SECOND_MS;
/** A client that cannot resume sees that its download has begun. */
const HEAD_AFTER_MS = 5 * SECOND_MS;
/** Shows the caller that the request is running. Short compared with the time after which it counts as abandoned. */
const REPORT_EVERY_MS = MINUTE_MS / 2;
const RETRY_SECONDS = 5;

export type ArrivingReader = ByteReader & Required<Pick<ByteReader, 'available'>>;

type ArrivingSending = Omit<Sending, 'reader'> & {
  reader: ArrivingReader;
  /** Whether the client goes on by itself after the connection ends. */
  canResume: boolean;
};

/**
 * Like `sendBlocks`, for bytes that are still arriving. While it waits for them, it occupies no buffers, because many
 * clients may wait for a long time. If the client can resume, a response that has been silent for 50 seconds is ended
 * before a proxy does it. Throws AppError `file_arriving` if nothing was sent by then.
 */
export async function sendArrivingBlocks(sending: ArrivingSending): Promise<void> {
  const { response, reader, lengthBytes, onProgress } = sending;
  const waiting = new Waiting(sending);
  try {
    for (let sent = 0; sent < lengthBytes; ) {
      const available = await waiting.findAvailable(sent);
      if (available === undefined || response.destroyed) return;
      const block = acquireBlock(SMALL_BLOCK_BYTES);
      const bytes = block.subarray(0, Math.min(available, lengthBytes - sent));
      await fillOrDestroy(reader, bytes, response);
      waiting.start();
      onProgress({ sentBytes: sent, begunBytes: sent + bytes.length });
      // The kernel may still be using the buffer.
      if (!(await writeBlock(response, bytes, sent + bytes.length === lengthBytes))) return;
      releaseBlocks([block]);
      sent += bytes.length;
      onProgress({ sentBytes: sent, begunBytes: sent });
    }
  } finally {
    waiting.close();
  }
}

/** Why a wait ended without bytes. */
const SILENT = Symbol('silent');
const LEFT = Symbol('left');

class Waiting {
  readonly #sending: ArrivingSending;
  readonly #onClose = () => this.#stop(LEFT);
  #isHeadSent = false;
  #isWaiting = false;
  #abort = new AbortController();

  constructor(sending: ArrivingSending) {
    this.#sending = sending;
    sending.response.once('close', this.#onClose);
  }

  /** Sends the head once. */
  start(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    const { response, stallMs, writeHead } = this.#sending;
    cutOffWhenStalled(response, stallMs, () => this.#isWaiting);
    writeHead();
    response.flushHeaders();
  }

  /** Undefined if the response has ended. */
  async findAvailable(sentBytes: number): Promise<number | undefined> {
    const { response, reader, canResume, onProgress } = this.#sending;
    const timers = [
      setInterval(() => onProgress({ sentBytes, begunBytes: sentBytes }), REPORT_EVERY_MS),
      ...(canResume ? [setTimeout(() => this.#stop(SILENT), SILENT_MS)] : []),
      ...(canResume || this.#isHeadSent ? [] : [setTimeout(() => this.start(), HEAD_AFTER_MS)]),
    ];
    this.#isWaiting = true;
    try {
      if (response.destroyed) return undefined;
      return await reader.available(this.#abort.signal);
    } catch (error) {
      if (error === LEFT) return undefined;
      if (error === SILENT && !this.#isHeadSent)
        throw new AppError('file_arriving', { retryAfterSeconds: RETRY_SECONDS });
      // A body that ends early must not look complete.
      if (this.#isHeadSent) response.destroy();
      if (error === SILENT) return undefined;
      throw error;
    } finally {
      this.#isWaiting = false;
      for (const timer of timers) clearTimeout(timer);
    }
  }

  close(): void {
    this.#sending.response.off('close', this.#onClose);
  }

  #stop(reason: typeof SILENT | typeof LEFT): void {
    this.#abort.abort(reason);
  }
}
