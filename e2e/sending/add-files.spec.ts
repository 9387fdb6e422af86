import type { Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { addFilesPage, transferPage } from '../../contracts/values/addresses/pages.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { type NamedBytes, sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import type { Member } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, expectToast } from '../actions/uploads.ts';

test.describe.configure({ timeout: 120_000 });

const LETTER: NamedBytes = { fileName: 'letter.txt', bytes: Buffer.from('Dear Vera') };
const SETTINGS = { title: 'Holiday', recipientEmails: ['rex@example.org'], maxDownloads: 7 };
const FILM = makeBytes(30 * MIB - 1, 'film');

test('files are added to a sent transfer without changing anything else', async ({
  member,
  memberPage: page,
}, testInfo) => {
  const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
  const before = await member.client.call(getTransfer, { params: { id } });
  await openAddPage(page, id);
  await expect(page.getByTestId('held')).toHaveText('1 file, 9 B · expires in 90 days');
  await expect(page.getByRole('list', { name: 'Files in this transfer' })).toContainText('letter.txt');
  await expect(page.getByTestId('room-left')).toContainText('50 GB left');
  await expect(page.getByRole('heading', { name: 'Share Settings' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Add files' }).click();
  await expectToast(page, 'No files selected', 'Please select at least one file to upload.');

  await chooseFiles(page, writeFile(testInfo, 'more.txt', 'And more'));
  await page.getByRole('button', { name: 'Add files' }).click();
  await expect(page).toHaveURL(new RegExp(`${transferPage(id)}$`));
  await expectToast(page, 'Upload successful!', '1 file added to “Holiday”.');
  await expect(page.getByRole('heading', { name: 'Holiday', exact: true })).toBeVisible();
  await expect(page.getByText('more.txt')).toBeVisible();

  const { files, ...after } = await member.client.call(getTransfer, { params: { id } });
  expect(files.map(({ originalName }) => originalName)).toEqual(['letter.txt', 'more.txt']);
  for (const key of ['title', 'token', 'expiresAt', 'maxDownloads', 'recipientEmails'] as const)
    expect(after[key], key).toEqual(before[key]);
});

test(
  'existing files count against the transfer’s limit',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
    // Pretends that the transfer is nearly full; the server still decides.
    await page.route(`**/api/transfers/${id}`, async (route) => {
      const response = await route.fetch();
      const transfer = (await response.json()) as { totalSize: number };
      await route.fulfill({ response, json: { ...transfer, totalSize: 50 * 1024 * MIB - 5 } });
    });
    await openAddPage(page, id);
    await expect(page.getByTestId('room-left')).toContainText('5 B left');
    await chooseFiles(page, writeFile(testInfo, 'more.txt', 'And more'));
    await expectToast(
      page,
      'File size limit exceeded',
      'Your premium plan allows up to 50 GB per transfer. Upgrade to increase your limit.',
    );
  },
);

test(
  'an addition interrupted by a reload resumes from the list of unfinished uploads',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const { id, path } = await breakAddition(page, member, writeFile(testInfo, 'film.bin', FILM));

    await test.step('the upload page leads to it', async () => {
      await page.goto('/dashboard/upload');
      const unfinished = page.getByTestId('unfinished-uploads');
      await expect(unfinished).toContainText('Adding to “Holiday”');
      await expect(unfinished.getByRole('button', { name: /^Choose/ })).toHaveCount(0);
      await unfinished.getByRole('link', { name: 'Continue adding film.bin' }).click();
      await expect(page.getByRole('heading', { name: 'Adding to “Holiday”' })).toBeVisible();
    });
    await test.step('the same file goes on', async () => {
      await setLine(page, 'normal');
      await expect(page.getByTestId('unfinished-uploads')).toContainText(/ MB of 30 MB uploaded/);
      const watch = new ChunkWatch(page);
      await chooseFiles(page, path);
      await expect(page).toHaveURL(new RegExp(`${transferPage(id)}$`), { timeout: 45_000 });
      await expectToast(page, 'Upload successful!');
      expect(watch.sent.length, 'not from its beginning').toBeLessThan(6);
    });
    const { files } = await member.client.call(getTransfer, { params: { id } });
    expect(files.map(({ originalName, size }) => [originalName, size])).toEqual([
      ['letter.txt', 9],
      ['film.bin', FILM.length],
    ]);
  },
);

test(
  'discarding an unfinished addition leaves the transfer as it was',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const { id } = await breakAddition(page, member, writeFile(testInfo, 'film.bin', FILM));
    await setLine(page, 'normal');
    await page.goto('/dashboard/upload');
    await page.getByRole('button', { name: 'Discard film.bin' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard upload' }).click();
    await expect(page.getByTestId('unfinished-uploads')).toHaveCount(0);
    expect(await member.client.call(listUploads)).toEqual([]);
    expect((await member.client.call(getTransfer, { params: { id } })).fileCount).toBe(1);
  },
);

test(
  'cancelling an addition leaves the transfer as it was',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
    await startSlowAddition(page, id, writeFile(testInfo, 'film.bin', FILM));
    await page.getByTestId('upload-progress').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel upload' }).click();
    await expectToast(page, 'Upload cancelled', 'The uploaded data was deleted.');
    await expect.poll(() => member.client.call(listUploads)).toEqual([]);
    expect((await member.client.call(getTransfer, { params: { id } })).fileCount).toBe(1);
  },
);

test(
  'leaving an unfinished addition needs confirmation',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
    await startSlowAddition(page, id, writeFile(testInfo, 'film.bin', FILM));
    await page.getByRole('link', { name: 'Upload Files' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave during the upload?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await expect(page.getByTestId('upload-progress')).toBeVisible();
  },
);

test('an unknown or expired transfer accepts no files, and the page says why', {
  tag: '@all',
}, async ({ member, memberPage: page, server }) => {
  const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
  for (const unknown of ['nonsense', id.split('').reverse().join(''), '']) {
    await page.goto(`/dashboard/upload?to=${unknown}`);
    await expect(page.getByRole('heading', { name: 'Transfer not found' }), unknown).toBeVisible();
  }
  await page.getByRole('link', { name: 'New Upload' }).click();
  await expect(page.getByRole('heading', { name: 'Share Settings' })).toBeVisible();

  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = ? WHERE id = ?').run(Date.now() - 1_000, id),
  );
  await page.goto(addFilesPage(id));
  await expect(page.getByRole('heading', { name: 'This transfer has expired' })).toBeVisible();
  await page.getByRole('link', { name: 'Open the transfer' }).click();
  await expect(page).toHaveURL(new RegExp(`${transferPage(id)}$`));
});

async function openAddPage(page: Page, id: string): Promise<void> {
  await page.goto(addFilesPage(id));
  await expect(page.getByRole('heading', { name: 'Adding to “Holiday”' })).toBeVisible();
}

async function startSlowAddition(page: Page, id: string, path: string): Promise<void> {
  await openAddPage(page, id);
  await chooseFiles(page, path);
  await stopHalfway(page, new ChunkWatch(page), () =>
    page.getByRole('button', { name: 'Add files' }).click(),
  );
}

/** Leaves an unfinished addition with some chunks stored. */
async function breakAddition(
  page: Page,
  member: Member,
  path: string,
): Promise<{ id: string; path: string }> {
  const { id } = await sendTransfer(member.client, [LETTER], SETTINGS);
  await startSlowAddition(page, id, path);
  page.once('dialog', (dialog) => dialog.accept());
  await page.reload();
  await expect(page.getByTestId('unfinished-uploads')).toBeVisible();
  return { id, path };
}
