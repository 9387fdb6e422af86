import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { formatSize } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expect, test } from '../actions/fixtures.ts';
import { type Files, listFiles, readDownload, unzip, writeFiles } from '../actions/sample-files.ts';
import { chooseFolder, expectToast, startUpload, waitForLink } from '../actions/uploads.ts';

// The other journeys use reduced motion.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const FOLDER = 'Zürich 2026';
const SENT: Files = {
  [`${FOLDER}/Lies mich.txt`]: 'Grüezi mitenand\n',
  [`${FOLDER}/leer.txt`]: '',
  [`${FOLDER}/Bilder/été à la plage.jpg`]: makeBytes(300_000, 'beach'),
  [`${FOLDER}/Bilder/日本語/写真 🗻.bin`]: makeBytes(6_000_000, 'mountain'),
};
const JUNK: Files = { [`${FOLDER}/.DS_Store`]: 'junk', [`${FOLDER}/Bilder/Thumbs.db`]: 'junk' };

test('a folder is uploaded and its link is shared; a recipient downloads one file and then all', async ({
  memberPage: sender,
  visitorPage: recipient,
}, testInfo) => {
  const chosen = writeFiles(testInfo, { ...SENT, ...JUNK });
  const totalBytes = Object.values(SENT).reduce((sum, content) => sum + Buffer.from(content).length, 0);

  const link = await test.step('send the folder', async () => {
    await sender.goto('/dashboard/upload');
    await chooseFolder(sender, join(chosen, FOLDER));
    await expect(sender.getByTestId('total-size')).toHaveText(`4 files, ${formatSize(totalBytes)} in total`);
    await expect(sender.getByText('.DS_Store')).toHaveCount(0);
    await sender.getByLabel('Title').fill('Photographs');
    await sender.getByLabel('Message').fill('As promised.');
    await startUpload(sender);
    await expectToast(sender, 'Upload successful!');
    return waitForLink(sender);
  });

  await test.step('copy the link', async () => {
    await sender.getByRole('button', { name: 'Copy Link' }).click();
    await expectToast(sender, 'Link copied!', 'Share link has been copied to clipboard.');
    expect(await sender.evaluate<string>('navigator.clipboard.readText()')).toBe(link);
  });

  await test.step('a stranger sees what was sent', async () => {
    await recipient.goto(link);
    await expect(recipient.getByRole('heading', { name: 'Photographs' })).toBeVisible();
    await expect(recipient.getByText('As promised.')).toBeVisible();
    await expect(
      recipient.getByRole('paragraph').filter({ hasText: `4 files\u00a0· ${formatSize(totalBytes)}` }),
    ).toBeVisible();
  });

  await test.step('one file comes down byte for byte', async () => {
    const path = `${FOLDER}/Bilder/日本語/写真 🗻.bin`;
    const download = await startDownload(recipient, recipient.getByRole('link', { name: '写真 🗻.bin' }));
    expect(download.suggestedFilename()).toBe('写真 🗻.bin');
    expect((await readDownload(download)).equals(SENT[path] as Buffer)).toBe(true);
  });

  await test.step('the zip has every folder and byte', async () => {
    const all = recipient.getByRole('button', { name: 'Download All Files' });
    const download = await startDownload(recipient, all);
    expect(download.suggestedFilename()).toBe('Photographs.zip');
    const unpacked = unzip(await download.path(), testInfo.outputPath('unpacked'));
    expect(listFiles(unpacked)).toEqual(Object.keys(SENT).sort());
    for (const [path, content] of Object.entries(SENT))
      expect(readFileSync(join(unpacked, path)).equals(Buffer.from(content)), path).toBe(true);
  });

  await test.step('the sender sees who took what', async () => {
    await sender.getByRole('link', { name: 'View Transfers' }).click();
    await expect(sender.getByText('2 downloads', { exact: true })).toBeVisible();
    await sender.getByRole('link', { name: 'View Details' }).click();
    await expect(sender.getByRole('heading', { name: 'Photographs' })).toBeVisible();
    const fileRows = sender.getByRole('list', { name: 'Files' }).getByRole('listitem');
    await expect(fileRows.filter({ hasText: '写真 🗻.bin' })).toContainText('2 downloads');
    await expect(fileRows.filter({ hasText: 'Lies mich.txt' })).toContainText('1 download');
    await expect(fileRows.filter({ hasText: 'leer.txt' })).toContainText('0 B · 1 download');
    await expect(sender.locator('dl > div').filter({ hasText: 'Total downloads' })).toHaveText(
      /^(2Total downloads|Total downloads2)$/,
    );
    const activity = sender.getByRole('list', { name: 'Recent downloads' }).getByRole('listitem');
    await expect(activity).toHaveText([/All files/, /写真 🗻\.bin/]);
    await expect(activity.first()).toContainText('127.0.0.1');
  });

  await test.step('what is deleted is gone for everybody', async () => {
    await sender.getByRole('button', { name: 'Delete' }).click();
    await expectToast(sender, 'Transfer deleted', 'The transfer and all associated files have been deleted.');
    await expect(sender.getByText('No transfers yet')).toBeVisible();
    await recipient.reload();
    await expect(recipient.getByRole('heading', { name: 'Transfer Not Found' })).toBeVisible();
    await expect(recipient.getByText('This transfer may have expired or been deleted.')).toBeVisible();
  });
});

async function startDownload(page: Page, button: ReturnType<Page['locator']>) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  await expectToast(page, 'Download started');
  return download;
}
