import type { Page } from '@playwright/test';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, holdHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { PASSWORD } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, dropFiles, startUpload, waitForLink } from '../actions/uploads.ts';

test.describe.configure({ timeout: 120_000 });

test('files are sent as soon as they are added, and nothing is shared before Upload is pressed', async ({
  member,
  memberPage: page,
}, testInfo) => {
  await page.goto('/dashboard/upload');
  await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
  const progress = page.getByTestId('upload-progress');
  await expect(progress.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
  expect(await member.client.call(listTransfers)).toEqual([]);
  await chooseFiles(page, writeFile(testInfo, 'b.txt', 'b'));
  await expect(page.getByTestId('total-size')).toHaveText('2 files, 2 B in total');
  await expect(progress.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
  await page.getByLabel('Title').fill('Letters');
  await startUpload(page);
  await waitForLink(page);
  await expect(page.getByRole('button', { name: 'Copy Link' })).toBeFocused();
  const [sent] = await member.client.call(listTransfers);
  expect([sent?.title, sent?.fileCount]).toEqual(['Letters', 2]);
});

test(
  'an upload survives a lost request for a part of its page',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    let requests = 0;
    // Fails when the browser loads it in an idle moment, and once when it is needed.
    await page.route('**/success-dialog-*.js', async (route) => {
      requests += 1;
      return requests <= 2 ? route.abort('connectionreset') : route.continue();
    });
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await expect.poll(() => requests).toBe(1);
    await startUpload(page);
    await waitForLink(page);
    expect(requests).toBe(3);
  },
);

test(
  'files whose announcement lost its answer are announced once',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    let requests = 0;
    await page.route('**/api/upload/init-many*', async (route) => {
      requests += 1;
      if (requests > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await startUpload(page);
    await waitForLink(page);
    expect(requests).toBe(2);
    expect(await member.client.call(listUploads)).toEqual([]);
  },
);

test('an upload goes on while other pages are visited, with its settings editable until it completes', async ({
  member,
  memberPage: page,
}, testInfo) => {
  await page.goto('/dashboard/upload');
  const watch = new ChunkWatch(page);
  const path = writeFile(testInfo, 'film.bin', makeBytes(40 * MIB, 'film'));
  const held = await holdHalfway(page, watch, () => chooseFiles(page, path));
  await page.getByLabel('Title').fill('Film');
  const form = page.getByRole('form', { name: 'Share Settings' });
  await expect(page.getByRole('button', { name: 'Share the link now' })).toBeVisible();
  await expect(form.getByRole('button', { name: 'Share the link now' }), 'it would move Upload').toHaveCount(
    0,
  );
  await startUpload(page);
  await page.getByLabel('Title').fill('Film night');

  await page.getByRole('link', { name: 'My Transfers' }).first().click();
  await expect(page).toHaveURL('/dashboard');
  const pill = page.getByTestId('upload-pill');
  await expect(pill).toContainText(/Uploading \d+%/);
  held.release();
  await page.getByRole('button', { name: 'Show link' }).click();
  await waitForLink(page);
  await expect(pill).toHaveCount(0);
  const [sent] = await member.client.call(listTransfers);
  expect(sent?.title).toBe('Film night');
});

test(
  'files dropped on any page of the dashboard are sent from the upload page',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard');
    await expect(page.getByText('No transfers yet')).toBeVisible();
    await dropFiles(page, [writeFile(testInfo, 'a.txt', 'a')]);
    await expect(page).toHaveURL('/dashboard/upload');
    await expect(page.getByTestId('total-size')).toHaveText('1 file, 1 B in total');
    await startUpload(page);
    await waitForLink(page);
  },
);

test(
  'a draft that was never submitted waits for Upload after a reload',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await page.getByLabel('Title').fill('Later');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: 'Finish Later' }).click();
    await expect(page.getByText('All files are uploaded. You only need to finish.')).toBeVisible();
    expect(await member.client.call(listTransfers)).toEqual([]);
    await expect(page.getByLabel('Title')).toHaveValue('Later');
    await page.getByRole('button', { name: 'Finish upload' }).click();
    await waitForLink(page);
    expect(await member.client.call(listUploads)).toEqual([]);
  },
);

/** Titles and messages that this device keeps of its drafts. */
function readDrafts(page: Page): Promise<{ title: string; message: string }[]> {
  return page.evaluate(`new Promise((resolve) => {
    const open = indexedDB.open('sendwell-uploads');
    open.onsuccess = () => {
      const all = open.result.transaction('records').objectStore('records').getAll();
      all.onsuccess = () => resolve(all.result.flatMap(({ settings }) => settings ?? []).map(({ title, message }) => ({ title, message })));
      open.result.close();
    };
  })`);
}

test(
  'settings typed after the files were sent survive a reload',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
    await page.getByLabel('Title').fill('Holiday');
    await page.getByLabel('Message').fill('See you soon');
    await expect.poll(() => readDrafts(page)).toContainEqual({ title: 'Holiday', message: 'See you soon' });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: 'Finish Holiday' }).click();
    await expect(page.getByLabel('Title')).toHaveValue('Holiday');
    await expect(page.getByLabel('Message')).toHaveValue('See you soon');
  },
);

test(
  'removing the files of a draft deletes what was sent ahead',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
    await page.getByRole('button', { name: 'Remove a.txt' }).click();
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await expect.poll(() => member.client.call(listUploads)).toEqual([]);
  },
);

test(
  'a lost session asks for the password, and the upload goes on',
  { tag: '@all' },
  async ({ memberPage: page, member, context }, testInfo) => {
    await page.goto('/dashboard/upload');
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await context.clearCookies();
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await expect(page.getByRole('heading', { name: 'Please sign in again' })).toBeVisible();
    await page.getByLabel(`Password of ${member.username}`).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in and continue' }).click();
    await expect(page.getByRole('heading', { name: 'All files are uploaded' })).toBeVisible();
    await startUpload(page);
    await waitForLink(page);
  },
);

test('early sending can be switched off', { tag: '@all' }, async ({ memberPage: page }, testInfo) => {
  await page.goto('/dashboard/upload');
  await page.getByLabel('Start sending as soon as files are added').uncheck();
  await page.reload();
  const watch = new ChunkWatch(page);
  await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
  await expect(page.getByTestId('total-size')).toBeVisible();
  await expect(page.getByTestId('upload-progress')).toHaveCount(0);
  expect(watch.sent).toEqual([]);
  await startUpload(page);
  await waitForLink(page);
});
