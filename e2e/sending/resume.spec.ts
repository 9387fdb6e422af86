import type { Page } from '@playwright/test';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { completeUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, holdHalfway, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createMember, signIn } from '../actions/people.ts';
import { sha256, writeFile, writeFiles } from '../actions/sample-files.ts';
import { chooseFiles, dropFiles, sendWhenSubmitted, startUpload, waitForLink } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

// Sends when Upload is pressed; ahead.spec.ts covers sending as soon as files are added.
test.beforeEach(sendWhenSubmitted);

// Playwright carries every byte that a page sends, which is slow on a busy machine.
test.describe.configure({ timeout: 120_000 });

/** More chunks than can be acknowledged or in flight when the tab closes. */
const BYTES = makeBytes(40 * MIB - 1, 'film');

test('an upload interrupted by a reload resumes with the same file and sends no chunk twice', async ({
  memberPage: page,
  server,
}, testInfo) => {
  const path = writeFile(testInfo, 'film.bin', BYTES);
  const watch = await stopHalfwayThrough(page, () => chooseFiles(page, path));
  await reloadPastWarning(page);
  await expectRestOnly(page, watch, () => chooseFiles(page, path));
  await expectArrived(server, await waitForLink(page));
});

test(
  'the upload of a dropped folder resumes automatically after a reload',
  { tag: '@all' },
  async ({ memberPage: page, server }, testInfo) => {
    const folder = writeFiles(testInfo, { 'cinema/film.bin': BYTES, 'cinema/poster.txt': 'Tonight' });
    const watch = await stopHalfwayThrough(page, () => dropFiles(page, [`${folder}/cinema`]));
    await reloadPastWarning(page);
    // The browser reopens the files without another selection.
    await expectRestOnly(page, watch, () =>
      page.getByRole('button', { name: 'Continue film.bin + 1' }).click(),
    );
    await expectArrived(server, await waitForLink(page));
  },
);

test(
  'an upload whose tab was closed resumes in a new one and sends no chunk twice',
  { tag: '@all' },
  async ({ memberPage: page, context, server }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', BYTES);
    const watch = await openAndChoose(page, () => chooseFiles(page, path));
    await holdHalfway(page, watch, () => startUpload(page));
    await page.close();
    const next = await context.newPage();
    await next.goto('/dashboard/upload');
    await expectRestOnly(next, watch, () => chooseFiles(next, path));
    await expectArrived(server, await waitForLink(next));
  },
);

test(
  'an upload that only needs to be completed is finished without its file, with its settings',
  { tag: '@all' },
  async ({ memberPage: page, member }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'poster.txt', 'Tonight'));
    await page.getByLabel('Title').fill('Film night');
    await page.route(completeUploads.path, () => {});
    await startUpload(page);
    await expect(page.getByRole('heading', { name: 'Finishing…' })).toBeVisible();
    await reloadPastWarning(page);
    await page.unroute(completeUploads.path);
    await expect(page.getByTestId('unfinished-uploads')).toContainText('1 file, all 7 B uploaded');
    await page.getByRole('button', { name: 'Finish Film night' }).click();
    await waitForLink(page);
    const [transfer] = await member.client.call(listTransfers, { query: {} });
    expect([transfer?.title, transfer?.fileCount]).toEqual(['Film night', 1]);
  },
);

test('an upload waits while offline and resumes automatically', async ({
  memberPage: page,
  server,
}, testInfo) => {
  await stopHalfwayThrough(page, () => chooseFiles(page, writeFile(testInfo, 'film.bin', BYTES)));
  await setLine(page, 'away');
  await expectWaiting(page);
  await setLine(page, 'normal');
  await expectArrived(server, await waitForLink(page));
});

test(
  'an upload continues after the server was killed and restarted',
  { tag: '@all' },
  async ({ context, ownServer }, testInfo) => {
    await signIn(context, await createMember(ownServer, 'premium'));
    const page = await context.newPage();
    const choose = () => chooseFiles(page, writeFile(testInfo, 'film.bin', BYTES));
    const watch = await stopHalfwayThrough(page, choose, ownServer.url);
    const acknowledged = new Set(watch.acknowledged);
    await ownServer.kill();
    await expectWaiting(page);
    const sentBefore = watch.sent.length;
    await setLine(page, 'normal');
    await ownServer.start();
    await expectArrived(ownServer, await waitForLink(page));
    expect(watch.sent.slice(sentBefore).filter((chunk) => acknowledged.has(chunk))).toEqual([]);
  },
);

/** Starts an upload and leaves it with some chunks acknowledged. */
async function stopHalfwayThrough(page: Page, choose: () => Promise<void>, origin = ''): Promise<ChunkWatch> {
  const watch = await openAndChoose(page, choose, origin);
  await stopHalfway(page, watch, () => startUpload(page));
  return watch;
}

async function openAndChoose(page: Page, choose: () => Promise<void>, origin = ''): Promise<ChunkWatch> {
  const watch = new ChunkWatch(page);
  await page.goto(`${origin}/dashboard/upload`);
  await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
  await choose();
  await expect(page.getByTestId('total-size')).toBeVisible();
  return watch;
}

/** The page must warn before leaving. */
async function reloadPastWarning(page: Page): Promise<void> {
  const warned = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.accept();
    return dialog.type();
  });
  const [type] = await Promise.all([warned, page.reload()]);
  expect(type).toBe('beforeunload');
}

/** The page offers to continue, then sends only the missing chunks, each once. */
async function expectRestOnly(page: Page, before: ChunkWatch, goOn: () => Promise<void>): Promise<void> {
  const unfinished = page.getByTestId('unfinished-uploads');
  await expect(unfinished).toContainText(/ MB of 40 MB uploaded/);
  await setLine(page, 'normal');
  const acknowledged = new Set(before.acknowledged);
  const after = new ChunkWatch(page);
  await goOn();
  await waitForLink(page);
  expect(after.sent.length, 'something was left to send').toBeGreaterThan(0);
  expect(after.sent.filter((chunk) => acknowledged.has(chunk))).toEqual([]);
  expect(new Set(after.sent).size, 'each chunk once').toBe(after.sent.length);
}

async function expectWaiting(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Waiting for the network…' })).toBeVisible();
  await expect(page.getByText('Nothing is lost. The upload continues automatically.')).toBeVisible();
}

/** The link delivers the file unchanged. */
async function expectArrived(server: JourneyServer, link: string): Promise<void> {
  const visitor = server.anonymous();
  const token = link.slice(link.lastIndexOf('/') + 1);
  const { files = [] } = await visitor.call(viewDownload, { params: { token } });
  const film = files.find(({ originalName }) => originalName === 'film.bin');
  const answer = await visitor.fetch(fileDownloadPath(token, film!.id));
  expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(BYTES));
}
