import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MIB } from '../../contracts/values/sizes.ts';
import {
  type BucketProxy,
  type BucketRequest,
  startBucketProxy,
} from '../../testing/storage/bucket-proxy.ts';
import { isS3ServerInstalled, openS3Server, type S3Server } from '../../testing/storage/s3-server.ts';
import { sha256 } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch } from '../actions/chunk-watch.ts';
import { test as base, expect } from '../actions/fixtures.ts';
import { createMember, signIn } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, startUpload, waitForLink } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

type Direct = { direct: { server: JourneyServer; proxy: BucketProxy; s3: S3Server } };

/** A server with a bucket that browsers may access directly. */
const test = base.extend<Direct>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
  direct: async ({}, use) => {
    const s3 = await openS3Server();
    const bucket = `journey-${randomUUID()}`;
    await s3.createBucket(bucket);
    const proxy = await startBucketProxy(s3, { origins: ['*'], checksums: true });
    const server = await startJourneyServer({
      S3_BUCKET: bucket,
      S3_ENDPOINT: proxy.endpoint,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'on',
      S3_DIRECT: 'on',
    });
    // The check of direct access ends by removing its test object.
    const isProved = () =>
      proxy.seen.some(({ method, url }) => method === 'DELETE' && !url.includes('uploadId'));
    await expect.poll(isProved).toBe(true);
    await use({ server, proxy, s3 });
    await server.remove();
    await proxy.stop();
    await s3.stop();
  },
});

test.skip(!isS3ServerInstalled(), 'OpenStack Swift is missing: run bin/install-test-servers.ts');
test.describe.configure({ timeout: 180_000 });

test(
  'a large file goes directly to and from the bucket; refused chunks go through the server',
  { tag: '@all' },
  async ({ browser, direct: { server, proxy } }, testInfo) => {
    const context = await browser.newContext({ baseURL: server.url });
    await signIn(context, await createMember(server, 'premium'));
    const page = await context.newPage();
    const watch = new ChunkWatch(page);
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    const bytes = makeBytes(32 * MIB + 7, 'film');
    let refusals = 0;
    // One part is refused once: only that chunk goes through the server.
    const isFromPage = (request: BucketRequest) =>
      request.method === 'PUT' && request.headers.origin !== undefined;
    proxy.refuse = (request) =>
      isFromPage(request) && request.url.includes('partNumber=3&') && refusals++ === 0;
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'film.bin', bytes));
    await startUpload(page);
    const link = await waitForLink(page);
    expect(refusals).toBe(1);
    expect(watch.sent.map((chunk) => chunk.split('/')[1])).toEqual(['2']);
    const puts = proxy.seen.filter((request) => isFromPage(request) && request.url.includes('partNumber='));
    expect(puts.length).toBeGreaterThanOrEqual(7);

    const guest = await (await browser.newContext({ baseURL: server.url })).newPage();
    await guest.goto(link);
    const download = guest.waitForEvent('download');
    await guest
      .getByRole('link', { name: /download/i })
      .first()
      .click();
    const file = await download;
    expect(file.url().startsWith(proxy.endpoint)).toBe(true);
    expect(file.suggestedFilename()).toBe('film.bin');
    expect(sha256(readFileSync(await file.path()))).toBe(sha256(bytes));
    expect(problems.filter((text) => !text.includes('503'))).toEqual([]);
  },
);
