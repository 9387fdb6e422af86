import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { completeUpload, initUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import type { Client } from '../../testing/calls/client.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { describeFile, makeBytes, sendChunks } from '../../testing/uploads/upload-files.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { chosenButton, downloadAfter, row, selectAll, tick } from '../actions/downloads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { makePicture, readDownload, unzip } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  fileName: `${name}.bin`,
  bytes: makeBytes(2_048, name),
}));

test('selected files are downloaded as one zip and counted', async ({
  member,
  visitorPage: page,
}, testInfo) => {
  const { token } = await sendTransfer(member.client, LETTERS, { title: 'Letters' });
  await page.goto(sharePath(token));
  await expect(page.getByRole('button', { name: /^Download \d/ })).toHaveCount(0);
  await tick(page, 'b.bin').check();
  await expect(chosenButton(page)).toHaveText('Download 1 file (2 KB)');
  await tick(page, 'd.bin').check();
  await expect(chosenButton(page)).toHaveText('Download 2 files (4 KB)');
  await expect(selectAll(page)).toHaveJSProperty('indeterminate', true);
  await expect(page.getByRole('button', { name: 'Download All Files' })).toBeVisible();

  const download = await downloadAfter(page, () => chosenButton(page).click());
  await expectToast(page, 'Download started');
  const folder = unzip(await download.path(), testInfo.outputPath('unpacked'));
  expect(readdirSync(folder).sort()).toEqual(['b.bin', 'd.bin']);
  for (const name of ['b', 'd'])
    expect(readFileSync(join(folder, `${name}.bin`)).equals(makeBytes(2_048, name)), `${name}.bin`).toBe(
      true,
    );

  await expect(page.locator('dl > div').filter({ hasText: 'Total Downloads' })).toHaveText(
    'Total Downloads1',
  );
  await expect(row(page, 'b.bin')).toContainText('2 KB · 1 download');
  await expect(row(page, 'c.bin')).toContainText('2 KB · 0 downloads');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(chosenButton(page)).toHaveCount(0);
  await expect(tick(page, 'b.bin')).not.toBeChecked();
});

test('one selected file is downloaded as it is, all of them as the whole zip', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, LETTERS, { title: 'Letters' });
  await page.goto(sharePath(token));
  await tick(page, 'c.bin').check();
  const single = await downloadAfter(page, () => chosenButton(page).click());
  expect(single.suggestedFilename()).toBe('c.bin');
  expect((await readDownload(single)).equals(makeBytes(2_048, 'c'))).toBe(true);
  await selectAll(page).check();
  await expect(chosenButton(page)).toHaveText('Download 5 files (10 KB)');
  const all = await downloadAfter(page, () => chosenButton(page).click());
  expect(all.suggestedFilename()).toBe('Letters.zip');
  expect(new URL(all.url()).pathname).toMatch(/\/all$/);
  await selectAll(page).uncheck();
  await expect(tick(page, 'c.bin')).not.toBeChecked();
});

test('Shift selects and deselects all files between two clicks', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, LETTERS);
  await page.goto(sharePath(token));
  await tick(page, 'd.bin').click();
  await tick(page, 'b.bin').click({ modifiers: ['Shift'] });
  await expect(chosenButton(page)).toHaveText('Download 3 files (6 KB)');
  await expect(tick(page, 'a.bin')).not.toBeChecked();
  await tick(page, 'c.bin').click();
  await tick(page, 'd.bin').click({ modifiers: ['Shift'] });
  await expect(tick(page, 'c.bin')).not.toBeChecked();
  await expect(tick(page, 'd.bin')).not.toBeChecked();
  await expect(chosenButton(page)).toHaveText('Download 1 file (2 KB)');
});

test('files can be selected and downloaded using only the keyboard', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, LETTERS);
  await page.goto(sharePath(token));
  await selectAll(page).focus();
  await page.keyboard.press('Space');
  await expect(chosenButton(page)).toHaveText('Download 5 files (10 KB)');
  await page.keyboard.press('Tab');
  await expect(tick(page, 'a.bin')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Details of a.bin' })).toBeFocused();
  await chosenButton(page).focus();
  const download = await downloadAfter(page, () => page.keyboard.press('Enter'));
  expect(download.suggestedFilename()).toMatch(/\.zip$/);
});

test('a folder is selected as a whole, in part, or as filtered', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const paths = ['Party', 'Speeches'].flatMap((folder) =>
    Array.from({ length: 7 }, (_, index) => `Wedding/${folder}/${folder} ${index + 1}.bin`),
  );
  const token = await sendFolder(member.client, [...paths, 'Read me.bin']);
  await page.goto(sharePath(token));
  const party = page.getByRole('checkbox', { name: 'Select everything in Party' });
  const wedding = page.getByRole('checkbox', { name: 'Select everything in Wedding' });
  await expect(page.getByRole('button', { name: /^Party/ })).toContainText('7 files');

  await test.step('the folder stands for its files', async () => {
    await party.check();
    await expect(chosenButton(page)).toHaveText('Download 7 files (70 B)');
    await expect(wedding).toHaveJSProperty('indeterminate', true);
    await tick(page, 'Party 3.bin').uncheck();
    await expect(party).toHaveJSProperty('indeterminate', true);
    await expect(party).not.toBeChecked();
    await party.click();
    await expect(party).toBeChecked();
    await party.uncheck();
  });

  await test.step('closed folders are chosen as well', async () => {
    await page.getByRole('button', { name: /^Party/ }).click();
    await expect(row(page, 'Party 3.bin')).toHaveCount(0);
    await wedding.check();
    await expect(chosenButton(page)).toHaveText('Download 14 files (140 B)');
    await wedding.uncheck();
  });

  await test.step('only what the filter shows', async () => {
    await page.getByLabel('Filter files').fill('speech 3');
    await expect(page.getByText('1 file shown')).toBeVisible();
    await page.getByLabel('Filter files').fill('speeches');
    await expect(page.getByText('7 files shown')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect(chosenButton(page)).toHaveText('Download 7 files (70 B)');
    await expect(page.getByText('7 of 15 files selected')).toBeVisible();
    await page.getByLabel('Filter files').fill('elephant');
    await expect(page.getByText('No files match “elephant”.')).toBeVisible();
    await page.getByLabel('Filter files').press('Escape');
    await expect(row(page, 'Read me.bin')).toBeVisible();
  });

  await test.step('in another order the folder is said at the file', async () => {
    await page.getByLabel('Sort').selectOption('By name');
    await expect(row(page, 'Party 1.bin')).toContainText('in Wedding/Party');
    await expect(party).toHaveCount(0);
    await expect(tick(page, 'Speeches 1.bin')).toBeChecked();
  });
  await expectAccessible(page, 'a long list, some of it chosen');
});

test('pictures are selected in the gallery as in the list, and a click opens them', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const pictures = await Promise.all(
    ['coast', 'forest', 'harbour'].map(async (name, index) => ({
      fileName: `${name}.png`,
      bytes: await makePicture('png', [320, 240], index * 90),
    })),
  );
  const { token } = await sendTransfer(member.client, pictures);
  await expect(async () => {
    const { files = [] } = await member.client.call(viewDownload, { params: { token }, query: {} });
    expect(files.every(({ thumbnail }) => thumbnail)).toBe(true);
  }).toPass();
  await page.goto(sharePath(token));
  await tick(page, 'forest.png').check();
  await page.getByRole('button', { name: 'Gallery' }).click();
  await expect(tick(page, 'forest.png')).toBeChecked();
  await tick(page, 'coast.png').check();
  await expect(chosenButton(page)).toContainText('Download 2 files');
  await page.getByRole('list', { name: 'Files' }).getByRole('button', { name: 'harbour.png' }).click();
  await expect(page.getByRole('dialog', { name: 'harbour.png' })).toBeVisible();
});

/** Ten bytes per path; returns the share token. */
async function sendFolder(client: Client, paths: string[]): Promise<string> {
  const bytes = Buffer.from('0123456789');
  const { uploads } = await client.call(initUploads, {
    body: {
      files: paths.map((relativePath) => ({
        ...describeFile(relativePath.slice(relativePath.lastIndexOf('/') + 1), bytes),
        relativePath,
      })),
    },
  });
  let token = '';
  for (const { uploadId } of uploads) {
    await sendChunks(client, uploadId, bytes);
    const body = { fileCount: paths.length, title: 'Wedding' };
    ({ token } = await client.call(completeUpload, { params: { uploadId }, body }));
  }
  return token;
}
