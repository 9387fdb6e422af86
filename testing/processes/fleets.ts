import { randomUUID } from 'node:crypto';
import { after, before, type TestContext } from 'node:test';
import { type Db, openDatabase } from '../../server/platform/db/open.ts';
import { openPostgres, type TestDatabases } from '../databases/postgres.ts';
import { openS3Server, type S3Server } from '../storage/s3-server.ts';
import { prepareServerProcess, type ServerProcess } from './server-process.ts';

export type Fleet = { env: Record<string, string>; db: Db };

export type Fleets = {
  openFleet(): Promise<Fleet>;
  startMachines(
    t: Pick<TestContext, 'after'>,
    fleet: Fleet,
    count: number,
    more?: Record<string, string>,
  ): Promise<ServerProcess[]>;
  /** Replaces a test's `after` for machines shared by a suite. */
  shared: Pick<TestContext, 'after'>;
};

/** Starts PostgreSQL and an S3 server before the tests of the calling suite and stops everything after them. */
export function useFleets(): Fleets {
  let postgres: TestDatabases;
  let s3: S3Server;
  const cleanUp: (() => unknown)[] = [];
  before(async () => {
    [postgres, s3] = await Promise.all([openPostgres(), openS3Server()]);
  });
  after(async () => {
    for (const each of cleanUp.toReversed()) await each();
    await Promise.all([postgres?.stop(), s3?.stop()]);
  });
  return {
    async openFleet() {
      const bucket = `fleet-${randomUUID()}`;
      const [url] = await Promise.all([postgres.createEmptyDatabase(), s3.createBucket(bucket)]);
      const db = await openDatabase({ url, file: '' });
      cleanUp.push(() => db.destroy());
      const env = {
        DATABASE_URL: url,
        SESSION_SECRET: 'the same secret on all of the machines',
        S3_BUCKET: bucket,
        S3_ENDPOINT: s3.endpoint,
        S3_REGION: s3.region,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        S3_FORCE_PATH_STYLE: 'on',
      };
      return { env, db };
    },
    async startMachines(t, { env }, count, more = {}) {
      const machines = await Promise.all(
        Array.from({ length: count }, () => prepareServerProcess(t, { ...env, ...more })),
      );
      await Promise.all(machines.map((machine) => machine.start()));
      return machines;
    },
    shared: { after: (run) => void cleanUp.push(run as () => unknown) },
  };
}
