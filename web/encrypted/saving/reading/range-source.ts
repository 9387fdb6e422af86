import { readApiError } from '../../../../client/api-error.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import { type Bytes, freeBytes } from '../../../../encryption/bytes.ts';
import { SaveError } from '../failures.ts';
import type { Pace } from './pace.ts';

/** What the first, counted request told. With it, and the ticket cookie, every later request is free. */
export type Claim = {
  /** '' if the server redirected to a bucket on another origin, which does not show it. */
  etag: string;
  firstByte: number;
};

export type WaitsFor = 'network' | 'sender';

type RangeSourceOptions = {
  /** Absolute, because the worker has no address of its own. */
  url: string;
  /** Of the whole response, as computed from the list of files. */
  sizeBytes: number;
  pace: Pace;
  /** Some of the bytes may not have arrived yet. */
  isArriving: boolean;
  /** From an earlier attempt at the same download. */
  claim: Claim | undefined;
  onClaim: (claim: Claim) => void;
  /** Of every request. */
  headers?: Record<string, string>;
  /** Of any request. */
  onBytes: (count: number) => void;
  /** What the download waits for; undefined if it goes on. */
  onWaiting: (waitsFor: WaitsFor | undefined) => void;
  fetch?: typeof globalThis.fetch;
};

/** Longer than the ten minutes for which the server counts a download that failed before its first byte. */
const STILL_COUNTED_MS = 15 * 60_000;
/** Shorter than the ten idle minutes after which the server may forget a download that has hardly begun. */
const CONFIRMED_MS = 5 * 60_000;

/**
 * Ranges of one counted download. Each is asked for until it is there: connections may break at any byte. Throws
 * SaveError, or the reason of the cancellation.
 */
export class RangeSource {
  readonly #options: RangeSourceOptions;
  #claim: Claim | undefined;
  #claiming: Promise<unknown> | undefined;
  /** Of the last response that proves that the server still knows the download. */
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RangeSourceOptions) {
    this.#options = options;
    this.#claim = options.claim;
  }

  get sizeBytes(): number {
    return this.#options.sizeBytes;
  }

  /**
   * The first byte alone counts the download and brings its ticket. After a long break, the second byte alone does, if
   * the server has forgotten the download: several requests at once would count several times.
   */
  async claim(): Promise<void> {
    if (performance.now() - this.#confirmedAt < CONFIRMED_MS) return;
    this.#claiming ??= (this.#claim ? this.#confirm() : this.#begin()).finally(() => {
      this.#claiming = undefined;
    });
    await this.#claiming;
  }

  async #confirm(): Promise<void> {
    await this.#retry(async () => {
      const response = await this.#request(1, 2);
      if (response === undefined) return undefined;
      await this.#requireRange(response, 1);
      return response.arrayBuffer().catch(() => undefined);
    });
  }

  async #begin(): Promise<void> {
    const { onClaim } = this.#options;
    const started = performance.now();
    this.#claim = await this.#retry(async (tries) => {
      const response = await this.#request(0, 1);
      if (response === undefined) return undefined;
      // An earlier answer may have been lost after the server had counted it. It takes that back after some minutes.
      const mayStillCount = tries > 1 && performance.now() - started < STILL_COUNTED_MS;
      if (response.status === 410 && mayStillCount) return undefined;
      await this.#requireRange(response, 0);
      const body = await response.arrayBuffer().catch(() => undefined);
      if (!body) return undefined;
      const [firstByte = 0] = new Uint8Array(body);
      const claim = { etag: response.redirected ? '' : (response.headers.get('etag') ?? ''), firstByte };
      onClaim(claim);
      return claim;
    });
  }

  /** Fills `bytes`, which must be as long as the range. */
  async fetch(start: number, end: number, bytes: Bytes): Promise<void> {
    await this.claim();
    if (start === 0) {
      bytes[0] = this.#claim!.firstByte;
      this.#options.onBytes(1);
    }
    let filled = start === 0 ? 1 : 0;
    if (filled === bytes.length) return;
    await this.#retry(async (_tries, progress) => {
      await this.claim();
      const response = await this.#request(start + filled, end);
      if (response === undefined) return undefined;
      await this.#requireRange(response, start + filled);
      for await (const part of readUntilBreak(response.body!)) {
        if (part.length > bytes.length - filled) throw new SaveError({ kind: 'changed' });
        bytes.set(part, filled);
        filled += part.length;
        this.#options.onBytes(part.length);
        this.#confirmedAt = performance.now();
        progress();
      }
      return filled === bytes.length ? true : undefined;
    });
  }

  /**
   * Retries undefined results after pauses that grow until `progress` is called. While the sender has not sent the bytes,
   * the pauses stay short, because the server waits before it answers.
   */
  async #retry<Result>(
    attempt: (tries: number, progress: () => void) => Promise<Result | undefined>,
  ): Promise<Result> {
    const { pace, isArriving, onWaiting } = this.#options;
    let failures = 0;
    let waitsFor: WaitsFor | undefined;
    const wait = (reason: WaitsFor | undefined) => {
      if (reason !== waitsFor) onWaiting(reason);
      waitsFor = reason;
    };
    const progress = () => {
      wait(undefined);
      failures = 0;
    };
    for (let tries = 1; ; tries += 1) {
      await pace.wait();
      let result: Result | undefined;
      try {
        result = await attempt(tries, progress);
      } catch (error) {
        if (!(error instanceof StillArrivingError)) throw error;
        failures = 0;
        wait('sender');
        await pace.backOff(1);
        continue;
      }
      if (result !== undefined) {
        progress();
        this.#confirmedAt = performance.now();
        return result;
      }
      pace.canceled.throwIfAborted();
      if (pace.isPaused) continue;
      failures += 1;
      // The server ends a response that has waited for the sender.
      if (failures > 1 || !isArriving) wait('network');
      await pace.backOff(failures);
    }
  }

  /** Undefined if it should be retried. */
  async #request(start: number, end: number): Promise<Response | undefined> {
    const { url, pace, headers, fetch = globalThis.fetch } = this.#options;
    const etag = start > 0 ? this.#claim?.etag : '';
    const response = await fetch(url, {
      // A changed download answers 412 instead of starting, and counting, anew.
      headers: {
        ...headers,
        // Refusals with their code.
        accept: '*/*, application/problem+json;q=0.1',
        range: `bytes=${start}-${end - 1}`,
        ...(etag && { 'if-match': etag }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: pace.running,
    }).catch(() => undefined);
    if (response?.status === 503 && (await readApiError(response)).code === 'file_arriving')
      throw new StillArrivingError();
    if (response === undefined || response.status >= 500 || response.status === 429) {
      await response?.body?.cancel().catch(() => undefined);
      return undefined;
    }
    return response;
  }

  /** Throws SaveError if the response is not the bytes from `start` of a whole of the expected length. */
  async #requireRange(response: Response, start: number): Promise<void> {
    const { status, headers } = response;
    if (status === 412 || status === 416) throw new SaveError({ kind: 'changed' });
    if (status >= 400) {
      const { code, detail } = await readApiError(response);
      throw new SaveError({ kind: 'refused', status, code, detail });
    }
    const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '');
    // Buckets on other origins may not show the header. A wrong range still fails to decrypt.
    const isRight = range
      ? Number(range[1]) === start && Number(range[2]) === this.sizeBytes
      : response.redirected;
    if (status !== 206 || !isRight) {
      await response.body?.cancel().catch(() => undefined);
      throw new SaveError({ kind: 'changed' });
    }
  }
}

/** The sender has not sent these bytes yet. */
class StillArrivingError extends Error {
  override name = 'StillArrivingError';
}

const PART_BYTES = 512 * KIB;
/** For parts of responses. The browser's own parts are in fresh memory, which is slow to write to. */
const spare: Bytes[] = [];

/** Ends with the body or with its connection. A part is valid until the next one. */
async function* readUntilBreak(body: ReadableStream<Bytes>): AsyncGenerator<Bytes> {
  const byteReader = openByteReader(body);
  const reader = byteReader ?? body.getReader();
  let memory = byteReader && (spare.pop() ?? new Uint8Array(PART_BYTES));
  try {
    for (;;) {
      const reading = memory
        ? byteReader!.read(memory)
        : (reader as ReadableStreamDefaultReader<Bytes>).read();
      const part = await reading.catch(() => undefined);
      // A break takes the memory with it.
      if (!part?.value) return;
      if (memory) memory = new Uint8Array(part.value.buffer);
      if (part.done) break;
      yield part.value;
      if (!memory) freeBytes(part.value);
    }
    if (memory) spare.push(memory);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined in browsers whose responses can't be read into given memory. */
function openByteReader(body: ReadableStream<Bytes>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: 'byob' });
  } catch {
    return undefined;
  }
}
