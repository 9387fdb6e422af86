import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { startPostgres, type TestPostgres } from '../databases/postgres.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../storage/s3-server.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import type { Exit, ServerProcess } from './server-process.ts';

export const FILES = [{ fileName: 'kept.bin', bytes: makeBytes(100_000) }];

export const MARKER = 'installation.json';

export let postgres: TestPostgres;

let s3: S3Server | undefined;

before(async () => {
  [postgres, s3] = await Promise.all([
    startPostgres(),
    isS3ServerInstalled() ? openS3Server() : Promise.resolve(undefined),
  ]);
});

after(() => Promise.all([postgres?.stop(), s3?.stop()]));

export async function makeBucket(): Promise<Record<string, string>> {
  const bucket = `identity-${randomUUID()}`;
  await s3!.createBucket(bucket);
  return {
    S3_BUCKET: bucket,
    S3_ENDPOINT: s3!.endpoint,
    S3_REGION: s3!.region,
    S3_ACCESS_KEY_ID: s3!.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3!.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'on',
  };
}

export const noS3 = isS3ServerInstalled()
  ? false
  : 'OpenStack Swift is missing: run bin/install-test-servers.ts';

export async function requireRefusal(server: ServerProcess, sentence: RegExp): Promise<Exit> {
  server.launch();
  const late = new Promise<never>((_, reject) => {
    const timer = setInterval(async () => {
      const isUp = await fetch(`${server.url}/healthz`).then(
        () => true,
        () => false,
      );
      if (isUp) reject(new Error('The server started'));
    }, 100);
    void server.waitForExit().then(() => clearInterval(timer));
  });
  const exit = await Promise.race([server.waitForExit(), late]);
  assert.equal(exit.code, 1, exit.output);
  assert.match(exit.output, sentence);
  const sentences = exit.output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  assert.equal(sentences.length, 1, exit.output);
  return exit;
}

export function readMarker(dataDir: string): string {
  return readFileSync(join(dataDir, 'blobs', MARKER), 'utf8');
}
