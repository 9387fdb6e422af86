import type { S3 } from '@aws-sdk/client-s3';

const CONNECT_WITHIN_MS = 5_000;

export type S3ClientOptions = {
  /** Unset: Amazon's, by region. */
  endpoint?: string;
  region: string;
  /** Unset: the SDK looks in its usual places (environment, instance role). */
  accessKeyId?: string;
  secretAccessKey?: string;
  forcePathStyle: boolean;
};

/** Loads the SDK and makes a client that leaves repeating to `S3Requests`. */
export async function openS3Client(options: S3ClientOptions): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  const { accessKeyId, secretAccessKey } = options;
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3({
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
}
