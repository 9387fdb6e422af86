import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { until } from '../lib/until.ts';
import { startTestServer, type TestServer } from '../test-context.ts';
import { type BucketProxy, startBucketProxy } from './bucket-proxy.ts';
import type { S3Server } from './s3-server.ts';

/** The page's origin in tests that set no other PUBLIC_URL. */
const PAGE_ORIGIN = 'http://localhost:3000';

export type DirectServer = { server: TestServer; proxy: BucketProxy };

/** Starts a server whose clients upload directly to its bucket, behind a proxy with CORS and checksums. */
export async function startDirectServer(
  t: TestContext,
  s3: S3Server,
  { checksums = true }: { checksums?: boolean } = {},
): Promise<DirectServer> {
  const bucket = `direct-${randomUUID()}`;
  await s3.createBucket(bucket);
  const proxy = await startBucketProxy(s3, { origins: [PAGE_ORIGIN], checksums });
  t.after(() => proxy.stop());
  const server = await startTestServer(t, {
    S3_BUCKET: bucket,
    S3_ENDPOINT: proxy.endpoint,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'on',
    S3_DIRECT: 'on',
  });
  const { direct } = server.context.blobs;
  if (checksums) await until(async () => direct?.isOpen === true);
  return { server, proxy };
}
