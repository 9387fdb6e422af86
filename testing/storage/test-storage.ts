import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { connectS3Server, type S3Server, startS3Server } from './s3-server.ts';

/**
 * The settings of a server that keeps its files in a real S3 server, if `TEST_STORAGE=s3` asks for it; otherwise none.
 * The S3 server is the one at `TEST_S3_ENDPOINT`, which all test files share, or one of this process. Each call returns
 * another prefix of the same bucket, because creating a bucket costs more than most tests.
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

/** Whether files lie one behind another in packs: not in a bucket. For tests of what only a disk has. */
export const filesAreOnDisk = process.env.TEST_STORAGE !== 's3';

/** As many small files as a test of many needs; fewer where each is an object of its own. */
export const THOUSANDS = filesAreOnDisk ? 5_000 : 1_200;

let bucket: Promise<string> | undefined;

async function createBucket({ createBucket: create }: S3Server): Promise<string> {
  const name = `test-${randomUUID()}`;
  await create(name);
  return name;
}

const server = filesAreOnDisk ? undefined : await openServer();

async function openServer(): Promise<S3Server> {
  const { TEST_S3_ENDPOINT } = process.env;
  if (TEST_S3_ENDPOINT) return connectS3Server(TEST_S3_ENDPOINT);
  const started = await startS3Server();
  after(() => started.stop());
  return started;
}
