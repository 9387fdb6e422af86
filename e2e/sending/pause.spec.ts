import type { Page, TestInfo } from '@playwright/test';
import { getMonthlyUsage } from '../../contracts/accounts/accounts.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFiles } from '../actions/sample-files.ts';
import { chooseFiles, expectToast, sendWhenSubmitted, startUpload, waitForLink } from '../actions/uploads.ts';

// Sends when Upload is pressed; ahead.spec.ts covers sending as soon as files are added.
test.beforeEach(sendWhenSubmitted);

test.describe.configure({ timeout: 120_000 });

const FILES = {
  'first.bin': makeBytes(12 * MIB, 'first'),
  'second.bin': makeBytes(12 * MIB, 'second'),
  'third.bin': makeBytes(12 * MIB, 'third'),
};

test('an upload is paused, a file is removed, and it continues', async ({
  member,
  memberPage: page,
  visitorPage: recipient,
}, testInfo) => {
  const watch = await startSlowUpload(page, testInfo);
  const progress = page.getByTestId('upload-progress');

  await progress.getByRole('button', { name: 'Pause' }).click();
  await expect(progress.getByRole('heading', { name: 'Paused' })).toBeVisible();
  await expect(page.getByText('Uploaded data is kept for 24 hours.')).toBeVisible();
  const sentBefore = watch.sent.length;

  await page.getByRole('button', { name: 'Remove third.bin' }).click();
  await expect(page.getByTestId('total-size')).toHaveText('2 files, 24 MB in total');
  await expect(page.getByText('third.bin')).toHaveCount(0);
  await expect.poll(async () => (await member.client.call(listUploads)).length).toBe(2);
  expect(watch.sent.length, 'nothing leaves a paused page').toBe(sentBefore);

  await setLine(page, 'normal');
  await progress.getByRole('button', { name: 'Resume' }).click();
  await recipient.goto(await waitForLink(page));
  await expect(recipient.getByRole('link', { name: 'first.bin' })).toBeVisible();
  await expect(recipient.getByRole('link', { name: 'second.bin' })).toBeVisible();
  await expect(recipient.getByText('third.bin')).toHaveCount(0);
});

test(
  'a cancelled upload leaves nothing behind',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    await startSlowUpload(page, testInfo);
    const progress = page.getByTestId('upload-progress');
    await progress.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel this upload?' });
    await question.getByRole('button', { name: 'Keep uploading' }).click();
    await expect(question).toBeHidden();
    await expect(progress).toBeVisible();
    await progress.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Cancel upload' }).click();

    await expectToast(page, 'Upload cancelled', 'The uploaded data was deleted.');
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await expect.poll(() => member.client.call(listUploads)).toEqual([]);
    await expect.poll(() => member.client.call(listTransfers)).toEqual([]);
    expect(await member.client.call(getMonthlyUsage), 'the reservation is released').toEqual({ usage: 0 });
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await expect(page.getByTestId('unfinished-uploads')).toHaveCount(0);
  },
);

async function startSlowUpload(page: Page, testInfo: TestInfo): Promise<ChunkWatch> {
  const folder = writeFiles(testInfo, FILES);
  const watch = new ChunkWatch(page);
  await page.goto('/dashboard/upload');
  await stopHalfway(page, watch, async () => {
    await chooseFiles(
      page,
      Object.keys(FILES).map((name) => `${folder}/${name}`),
    );
    await startUpload(page);
  });
  return watch;
}
