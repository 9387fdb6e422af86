import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { openS3Server, type S3Server } from './s3-server.ts';

/**
 * The storage settings of a test server: with `TEST_STORAGE=s3` those of a real S3 server, otherwise none. The S3
 * server is the one at `TEST_S3_ENDPOINT`, which all test files share, or one started by this process. Each call
 * returns another prefix of one bucket, because creating a bucket takes longer than most tests.
 */
export async function createTestBucket(): Promise<Record<string, string>> {
  if (!server) return {};
  bucket ??= createBucket(server);
  return {
    S3_BUCKET: await bucket,
    S3_PREFIX: `${randomUUID()}/`,
    S3_ENDPOINT: server.endpoint,
    S3_REGION: server.region,
    S3_ACCESS_KEY_ID: server.accessKeyId,
    S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'on',
  };
}

/** Whether blobs are on a disk, where small files share packs, rather than in a bucket. */
export const filesAreOnDisk = process.env.TEST_STORAGE !== 's3';

/** The number of small files in tests with many files. Lower in a bucket, where each is a separate object. */
export const THOUSANDS = filesAreOnDisk ? 5_000 : 1_200;

let bucket: Promise<string> | undefined;

async function createBucket({ createBucket: create }: S3Server): Promise<string> {
  const name = `test-${randomUUID()}`;
  await create(name);
  return name;
}

const server = filesAreOnDisk ? undefined : await openServer();

async function openServer(): Promise<S3Server> {
  const started = await openS3Server();
  after(() => started.stop());
  return started;
}
