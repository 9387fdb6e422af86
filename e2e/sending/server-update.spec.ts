import type { Page } from '@playwright/test';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, holdHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  askForCode,
  codeField,
  createEncryptedInvitation,
  expectDelivered,
  findVisitorCode,
  inventAddress,
  uploadButton,
} from '../actions/invitations.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, openOptions, startUpload, waitForLink } from '../actions/uploads.ts';

// An update of the server replaces the code of all pages, also while an upload runs.

const WORKER = '**/crc32.worker-*.js';
const BYTES = makeBytes(30 * MIB, 'film');

for (const isEncrypted of [false, true]) {
  const kind = isEncrypted ? 'an encrypted upload' : 'an upload';
  test(
    `${kind} ends as usual after an update of the server`,
    { tag: '@all' },
    async ({ memberPage: page }, testInfo) => {
      await page.goto('/dashboard/upload');
      await openOptions(page);
      await page.getByRole('switch', { name: 'End-to-end encrypted' }).setChecked(isEncrypted);
      await expectLoaded(page, 'success-dialog', 'dialog-window', 'overlays');
      await outlastUpdate(page, async () => {
        await chooseFiles(page, writeFile(testInfo, 'film.bin', BYTES));
        await startUpload(page);
      });
      expect(await waitForLink(page)).toContain(isEncrypted ? '#' : '/download/');
    },
  );
}

test(
  'a visitor’s encrypted upload is delivered after an update of the server',
  { tag: '@all' },
  async ({ memberPage: owner, visitorPage: visitor, server }, testInfo) => {
    const link = await createEncryptedInvitation(owner);
    const email = inventAddress();
    await visitor.goto(link);
    await askForCode(visitor, email);
    await codeField(visitor).fill(await findVisitorCode(server, email));
    await chooseFiles(visitor, writeFile(testInfo, 'film.bin', BYTES));
    await expectLoaded(visitor, 'overlays');
    await outlastUpdate(visitor, () => uploadButton(visitor).click());
    await expectDelivered(visitor, 1);
  },
);

test(
  'an upload whose worker could not be loaded continues by itself',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await page.route(WORKER, (route) => route.abort());
    await chooseFiles(page, writeFile(testInfo, 'note.txt', 'Hello'));
    await startUpload(page);
    await expect(page.getByRole('heading', { name: 'Waiting for the network…' })).toBeVisible();
    await page.unroute(WORKER);
    expect(await waitForLink(page)).toContain('/download/');
  },
);

test(
  'an upload whose worker was removed by an update says so',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await page.route(WORKER, (route) => route.fulfill({ status: 404 }));
    await chooseFiles(page, writeFile(testInfo, 'note.txt', 'Hello'));
    await startUpload(page);
    const failed = page.getByRole('region', { name: 'Upload failed' });
    await expect(failed).toContainText('Sendwell was just updated. Reloading usually helps.');
  },
);

/** What a page loads when the browser is idle, before it is needed. */
async function expectLoaded(page: Page, ...names: string[]): Promise<void> {
  const list = () =>
    page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
  for (const name of names)
    await expect.poll(list).toContainEqual(expect.stringMatching(new RegExp(`/assets/${name}-[^/]+\\.js$`)));
}

/** From the middle of the upload on, the server has no code of this page. */
async function outlastUpdate(page: Page, start: () => Promise<void>): Promise<void> {
  const { release } = await holdHalfway(page, new ChunkWatch(page), start);
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }));
  release();
}
