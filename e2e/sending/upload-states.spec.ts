import type { Page } from '@playwright/test';
import { addFilesPage } from '../../contracts/values/addresses/pages.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { ChunkWatch, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import {
  chooseFiles,
  dragFiles,
  openOptions,
  sendWhenSubmitted,
  shareByEmail,
  startUpload,
} from '../actions/uploads.ts';

// Sends when Upload is pressed; ahead.spec.ts covers sending as soon as files are added.
test.beforeEach(sendWhenSubmitted);

// Checks each state with axe.
test.describe.configure({ timeout: 240_000 });

test(
  'running, paused, offline and failed uploads are accessible',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', makeBytes(30 * MIB, 'film'));
    const progress = await startSlowUpload(page, path);
    await expectAccessible(page, 'uploading');
    await dragFiles(page, [path]);
    await expect(page.getByText('You can add files when this upload has finished')).toBeVisible();
    await expectAccessible(page, 'files hovering while uploading');
    await dragFiles(page, 'away');
    await expect(page.getByText('Files can be added')).toBeHidden();

    await progress.getByRole('button', { name: 'Pause' }).click();
    await expect(progress.getByRole('heading', { name: 'Paused' })).toBeVisible();
    await expectAccessible(page, 'paused');

    await setLine(page, 'away');
    await progress.getByRole('button', { name: 'Resume' }).click();
    await expect(page.getByRole('heading', { name: 'Waiting for the network…' })).toBeVisible();
    await expectAccessible(page, 'offline');

    await page.route('**/api/upload/chunk/**', (route) =>
      route.fulfill({ status: 413, contentType: 'text/plain', body: 'Too long.' }),
    );
    await setLine(page, 'normal');
    await expect(progress).toHaveAttribute('data-phase', 'failed', { timeout: 45_000 });
    await expectAccessible(page, 'failed');
  },
);

test(
  'hovering files, invalid addresses and a corrected number are accessible',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').fill('rex@example.org, vera@, foo,');
    await openOptions(page);
    await page.getByLabel('Expiration days').fill('300');
    await page.getByLabel('Expiry time').fill('10:00');
    await expect(page.getByText('so we set it to')).toBeVisible();
    await expectAccessible(page, 'a form with mistakes');
    await dragFiles(page, [writeFile(testInfo, 'a.txt', 'a')]);
    await expect(page.getByText('Drop to add')).toBeVisible();
    await expectAccessible(page, 'files hovering');
  },
);

test(
  'adding to a transfer is accessible in all its states',
  { tag: '@all' },
  async ({ member, memberPage: page, server }, testInfo) => {
    const files = ['a.txt', 'b.jpg', 'c.mov', 'd.pdf', 'e.zip', 'f'].map((fileName) => ({
      fileName,
      bytes: Buffer.alloc(1_000),
    }));
    const { id } = await sendTransfer(member.client, files, { title: 'Holiday' });
    await page.goto(addFilesPage(id));
    await expect(page.getByRole('heading', { name: 'Adding to “Holiday”' })).toBeVisible();
    await expectAccessible(page, 'adding');
    await chooseFiles(page, writeFile(testInfo, 'more.txt', 'more'));
    await expectAccessible(page, 'adding, chosen');
    await page.goto('/dashboard/upload?to=nobody');
    await expect(page.getByRole('heading', { name: 'Transfer not found' })).toBeVisible();
    await expectAccessible(page, 'adding to nothing');
    server.withDatabase((database) =>
      database.prepare('UPDATE transfers SET expiresAt = ? WHERE id = ?').run(Date.now() - 1_000, id),
    );
    await page.goto(addFilesPage(id));
    await expect(page.getByRole('heading', { name: 'This transfer has expired' })).toBeVisible();
    await expectAccessible(page, 'adding to what has expired');
  },
);

async function startSlowUpload(page: Page, path: string) {
  await page.goto('/dashboard/upload');
  await chooseFiles(page, path);
  await stopHalfway(page, new ChunkWatch(page), () => startUpload(page));
  const progress = page.getByTestId('upload-progress');
  await expect(progress).toBeVisible();
  return progress;
}
