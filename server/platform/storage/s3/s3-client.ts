import { setTimeout as sleep } from 'node:timers/promises';
import type { S3 } from '@aws-sdk/client-s3';
import { AppError } from '../../lib/app-error.ts';
import type { Metrics, S3Outcome } from '../../metrics/metrics.ts';

const CONNECT_WITHIN_MS = 5_000;

export type S3ClientOptions = {
  endpoint?: string;
  region: string;
  /** If missing, the SDK uses the environment or an instance role. */
  accessKeyId?: string;
  secretAccessKey?: string;
  forcePathStyle: boolean;
  metrics?: Pick<Metrics, 'countS3Request'> | undefined;
};

export async function openS3Client(options: S3ClientOptions): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const { accessKeyId, secretAccessKey } = options;
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const client = new S3({
    region: options.region,
    endpoint: options.endpoint,
    forcePathStyle: options.forcePathStyle,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    // Many S3-compatible stores refuse or ignore the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK cannot repeat a streamed body.
    maxAttempts: 1,
    // Waiting for "100 Continue" would cost a new connection per part.
    expectContinueHeader: false,
    // No maximum of connections: each download occupies one for as long as its client reads.
    requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, httpAgent: agent, httpsAgent: agent },
  });
  if (options.metrics) timeRequests(client, options.metrics);
  return client;
}

function timeRequests(client: S3, metrics: Pick<Metrics, 'countS3Request'>): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const startedAt = performance.now();
        const count = (outcome: S3Outcome) =>
          metrics.countS3Request(
            commandName.replace(/Command$/, ''),
            outcome,
            (performance.now() - startedAt) / 1000,
          );
        try {
          const answer = await next(args);
          count('ok');
          return answer;
        } catch (error) {
          count(outcomeOf(error));
          throw error;
        }
      },
    { step: 'initialize', name: 'timeRequests' },
  );
}

function outcomeOf(error: unknown): S3Outcome {
  if (error instanceof Error && error.name === 'AbortError') return 'aborted';
  const status = statusOf(error);
  return status !== undefined && status >= 300 && status < 500 ? 'refused' : 'failed';
}

const MAX_TRIES = 5;
const GIVE_UP_AFTER_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

const PASSING_CODES = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'OperationAborted']);

type RetryTimes = {
  answerMs: number;
  /** Each further pause is up to twice as long. */
  firstPauseMs: number;
};

type Attempt<T> = (signal: AbortSignal, onProgress: () => void) => Promise<T>;

type RunOptions = {
  /** Codes that are thrown unchanged. */
  accept?: string[];
  signal?: AbortSignal;
  tries?: number;
};

/** Retries transient failures with jitter, up to 5 attempts, and maps refusals to AppErrors. */
export class S3Requests {
  readonly #times: RetryTimes;

  constructor(times: RetryTimes) {
    this.#times = times;
  }

  /**
   * The attempt's signal aborts it when it is stuck. Throws AppError `unavailable`, or the error unchanged if
   * its code is in `accept`.
   */
  async run<T>(attempt: Attempt<T>, options: RunOptions = {}): Promise<T> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryOnce(attempt, options);
      } catch (error) {
        if (options.signal?.aborted) throw error;
        if (options.accept?.includes(codeOf(error))) throw error;
        const isLast =
          tries >= (options.tries ?? MAX_TRIES) || performance.now() - startedAt > GIVE_UP_AFTER_MS;
        if (isLast || !isPassing(error)) throw unavailable(error);
        await this.pause(tries);
      }
    }
  }

  async pause(failures: number): Promise<void> {
    await sleep(Math.random() * this.#times.firstPauseMs * 2 ** (failures - 1));
  }

  async waitForAnswer<T>(promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('S3 did not respond in time')), this.#times.answerMs);
    });
    try {
      return await Promise.race([promise, tooLong]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #tryOnce<T>(attempt: Attempt<T>, { signal }: RunOptions): Promise<T> {
    const stuck = new AbortController();
    const timer = setTimeout(
      () => stuck.abort(new Error('S3 did not respond in time')),
      this.#times.answerMs,
    );
    try {
      const either = signal ? AbortSignal.any([signal, stuck.signal]) : stuck.signal;
      return await attempt(either, () => timer.refresh());
    } finally {
      // The time limit doesn't apply to reading the response body.
      clearTimeout(timer);
    }
  }
}

export function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** The SDK uses S3's error code (`NoSuchKey`, …) as the error's name. */
export function codeOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function isPassing(error: unknown): boolean {
  if (PASSING_CODES.has(codeOf(error))) return true;
  const status = statusOf(error);
  return status === undefined || status < 400 || status >= 500 || status === 408 || status === 429;
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && '$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}

/** `x-amz-checksum-crc32`: four bytes, big-endian, in base64. */
export function encodeCrc32(crc32: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32);
  return bytes.toString('base64');
}
