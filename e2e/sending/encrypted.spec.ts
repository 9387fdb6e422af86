import type { Page, Request } from '@playwright/test';
import { getManifest, verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { deriveKeys } from '../../encryption/keys.ts';
import { parseKey } from '../../encryption/link.ts';
import { openManifest } from '../../encryption/manifest.ts';
import { openSegments } from '../../encryption/segments.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, holdChunksAfter, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { sha256, writeFiles } from '../actions/sample-files.ts';
import {
  chooseFiles,
  dropFiles,
  expectToast,
  openOptions,
  startUpload,
  waitForLink,
} from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

test.describe.configure({ timeout: 180_000 });

const CANARY = /canary/i;
/** So large that chunks are left when those in flight have arrived. */
const FILM = Buffer.concat([Buffer.from('canary in the film'), makeBytes(40 * MIB, 'film')]);
const NOTE = Buffer.from('canary in the note');

test('an encrypted folder survives a cut and a reload, and only the key of its link opens it', async ({
  member,
  memberPage: page,
  server,
}, testInfo) => {
  const folder = writeFiles(testInfo, {
    'canary-trip/film.bin': FILM,
    'canary-trip/canary.txt': NOTE,
    'canary-trip/empty.txt': '',
  });
  const leaks = watchForCanaries(page);
  await page.goto('/dashboard/upload');
  await openOptions(page);
  await page.getByRole('switch', { name: 'End-to-end encrypted' }).check();
  await page.getByLabel('Title').fill('Canary title');
  await page.getByLabel('Message').fill('Canary message');
  await page.getByLabel('Password').fill('canary-password');
  const watch = new ChunkWatch(page);
  await stopHalfway(page, watch, () => dropFiles(page, [`${folder}/canary-trip`]));
  const notice = page.getByTestId('key-notice');
  await expect(notice).toContainText('Nobody can restore this key. Keep the link.');
  const early = (await notice.locator('p').first().textContent())!;
  await setLine(page, 'away');
  await expect(page.getByRole('heading', { name: 'Waiting for the network…' })).toBeVisible();
  await holdChunksAfter(page, 1);
  await setLine(page, 'normal');
  await expect.poll(() => watch.acknowledged.size).toBeGreaterThan(3);

  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Continue Canary title' }).click();
  await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible({
    timeout: 60_000,
  });
  await startUpload(page);
  const link = await waitForLink(page);
  expect(link).toBe(early);

  const { manifest, files } = await openTransfer(server, link, 'canary-password');
  expect([manifest.title, manifest.message]).toEqual(['Canary title', 'Canary message']);
  expect(Object.fromEntries(files.map(({ path, bytes }) => [path, sha256(bytes)]))).toEqual({
    'canary-trip/film.bin': sha256(FILM),
    'canary-trip/canary.txt': sha256(NOTE),
    'canary-trip/empty.txt': sha256(Buffer.alloc(0)),
  });
  for (const { sealed } of files) expect(sealed.toString('latin1')).not.toMatch(CANARY);
  expect(leaks).toEqual([]);
  const [sent] = await member.client.call(listTransfers);
  expect([sent?.title, sent?.isPasswordProtected]).toEqual([null, true]);

  await page.getByRole('link', { name: 'View Transfers' }).click();
  const card = page.getByRole('article', { name: 'Canary title' });
  await card.getByRole('button', { name: 'Copy Link' }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(link);
  await card.getByRole('link', { name: 'Canary title' }).click();
  await expect(page.getByRole('list', { name: 'Files', exact: true }).getByText('film.bin')).toBeVisible();
  await expect(page.getByText('Canary message')).toBeVisible();
});

test(
  'switching the encryption on sends the files again and discards what was sent',
  { tag: '@all' },
  async ({ member, memberPage: page, server }, testInfo) => {
    await page.goto('/dashboard/upload');
    const folder = writeFiles(testInfo, { 'a.txt': NOTE });
    await chooseFiles(page, `${folder}/a.txt`);
    await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
    await openOptions(page);
    await page.getByRole('switch', { name: 'End-to-end encrypted' }).check();
    await expectToast(page, 'Sending begins again, now encrypted');
    await expect(page.getByTestId('key-notice')).toBeVisible();
    await startUpload(page);
    const { files } = await openTransfer(server, await waitForLink(page));
    expect(files.map(({ path, bytes }) => [path, bytes.toString()])).toEqual([['a.txt', NOTE.toString()]]);
    // The plain draft is gone.
    await expect.poll(() => member.client.call(listUploads, { query: {} })).toEqual([]);
  },
);

test(
  'files are added to an encrypted transfer under its key, with the next revision of its names',
  { tag: '@all' },
  async ({ memberPage: page, server }, testInfo) => {
    const folder = writeFiles(testInfo, { 'a.txt': 'one', 'b.txt': 'two' });
    await page.goto('/dashboard/upload');
    await openOptions(page);
    await page.getByRole('switch', { name: 'End-to-end encrypted' }).check();
    await page.getByLabel('Title').fill('Letters');
    await chooseFiles(page, `${folder}/a.txt`);
    await startUpload(page);
    const link = await waitForLink(page);
    await page.getByRole('link', { name: 'View Transfers' }).click();
    await page.getByRole('link', { name: 'Letters', exact: true }).click();
    await page.getByRole('link', { name: 'Add files' }).click();
    await expect(page.getByRole('heading', { name: 'Adding to “Letters”' })).toBeVisible();
    await chooseFiles(page, `${folder}/b.txt`);
    await page.getByRole('button', { name: 'Add files' }).click();
    await expect(page.getByRole('list', { name: 'Files', exact: true }).getByText('b.txt')).toBeVisible();
    const { manifest, files, revision } = await openTransfer(server, link);
    expect([revision, manifest.title]).toEqual([2, 'Letters']);
    expect(files.map(({ path, bytes }) => [path, bytes.toString()])).toEqual([
      ['a.txt', 'one'],
      ['b.txt', 'two'],
    ]);
  },
);

/** What the page sends, apart from chunks, whose bytes are checked as they are stored. */
function watchForCanaries(page: Page): string[] {
  const found: string[] = [];
  page.on('request', (request: Request) => {
    const sent = [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''].join('\n');
    if (CANARY.test(decodeURIComponent(sent.replaceAll('%', '%25')))) found.push(request.url());
  });
  return found;
}

/** Opens everything as a recipient who has the link. */
async function openTransfer(server: JourneyServer, link: string, password?: string) {
  const visitor = server.anonymous();
  const token = new URL(link).pathname.split('/').at(-1)!;
  const linkSecret = parseKey(link)!;
  const locked = await visitor.call(viewDownload, { params: { token } });
  expect(locked.unlocked).toBe(false);
  const keys = await deriveKeys({ linkSecret, params: locked.encryption!, ...(password && { password }) });
  await visitor.call(verifyDownload, { params: { token }, body: { accessKey: keys.accessKey } });
  const answer = await visitor.fetch(getManifest.path.replace(':token', token));
  const revision = Number(answer.headers.get('sendwell-manifest-revision'));
  const manifest = await openManifest(keys.manifest, new Uint8Array(await answer.arrayBuffer()), revision);
  const { files: listed = [] } = await visitor.call(viewDownload, { params: { token } });
  const files = await Promise.all(
    manifest.files.map(async ({ fileId, path, size }) => {
      const { id } = listed.find(({ originalName }) => originalName === fileId)!;
      const response = await visitor.fetch(fileDownloadPath(token, id));
      const sealed = new Uint8Array(await response.arrayBuffer());
      const opened = await openSegments(keys.content, { fileId, plainBytes: size, firstSegment: 0 }, sealed);
      return { path, sealed: Buffer.from(sealed), bytes: Buffer.from(opened) };
    }),
  );
  return { manifest, files, revision };
}
