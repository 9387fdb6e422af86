import type { S3 } from '@aws-sdk/client-s3';
import type { Metrics, S3Outcome } from '../metrics/metrics.ts';
import { statusOf } from './s3-requests.ts';

const CONNECT_WITHIN_MS = 5_000;

export type S3ClientOptions = {
  /** Unset: Amazon's, by region. */
  endpoint?: string;
  region: string;
  /** Unset: the SDK looks in its usual places (environment, instance role). */
  accessKeyId?: string;
  secretAccessKey?: string;
  forcePathStyle: boolean;
  metrics?: Pick<Metrics, 'countS3Request'> | undefined;
};

/** Loads the SDK and makes a client that leaves repeating to `S3Requests`. */
export async function openS3Client(options: S3ClientOptions): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const { accessKeyId, secretAccessKey } = options;
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const client = new S3({
    region: options.region,
    endpoint: options.endpoint,
    forcePathStyle: options.forcePathStyle,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    // Other stores than Amazon's refuse or ignore the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK cannot repeat a streamed body.
    maxAttempts: 1,
    // Waiting for "100 Continue" would cost a new connection for every part.
    expectContinueHeader: false,
    // A download holds its connection as long as its reader takes: a bound would stop all others.
    requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, httpAgent: agent, httpsAgent: agent },
  });
  if (options.metrics) timeRequests(client, options.metrics);
  return client;
}

/** Each command is one request: the client itself repeats none. */
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
