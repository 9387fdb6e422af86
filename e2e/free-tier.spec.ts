import type { Page, TestInfo } from '@playwright/test';
import { KIB, MIB } from '../contracts/sizes.ts';
import { DEFAULT_TIER_CONFIG, type TierConfig } from '../contracts/tiers.ts';
import { writeFile } from './files.ts';
import { expect, test } from './fixtures.ts';
import type { JourneyServer } from './journey-server.ts';
import { createMember, signIn } from './people.ts';
import { chooseFiles, expectToast, startUpload, waitForLink } from './upload-actions.ts';

const SMALL_PLAN: TierConfig = {
  ...DEFAULT_TIER_CONFIG,
  free: { storagePerTransfer: MIB, monthlyTotal: MIB + 512 * KIB, retentionDays: 3 },
};

test('a free sender sees what the plan has, and what it has not', async ({ context, ownServer }) => {
  const page = await openUploadPage(context.newPage(), ownServer);
  await expect(page.getByTestId('plan-facts')).toHaveText(
    'Free plan: up to 1 MB per transfer, kept for up to 3 days',
  );
  await expect(page.getByTestId('monthly-usage')).toContainText('0 B / 1.5 MB');
  await expect(page.getByText('Maximum file size: 1 MB')).toBeVisible();
  await expect(page.getByLabel('Expiration days')).toHaveValue('3');
  await expect(page.getByLabel('Password', { exact: true })).toBeDisabled();
  await expect(page.getByText('Pro Feature')).toBeVisible();
  await expect(page.getByLabel('Download limit')).toHaveCount(0);
  await expect(page.getByLabel('Schedule date')).toHaveCount(0);
  await expect(page.getByLabel('Auto-delete')).toHaveCount(0);
});

test('files over the limit of one transfer are refused before they are sent', async ({
  context,
  ownServer,
}, testInfo) => {
  const page = await openUploadPage(context.newPage(), ownServer);
  await chooseFiles(page, writeZeros(testInfo, 'large.bin', MIB + 1));
  await expectToast(
    page,
    'File size limit exceeded',
    'Your free plan allows up to 1 MB per transfer. Upgrade to increase your limit.',
  );
  await expect(page.getByText('large.bin')).toHaveCount(0);
  await page.getByRole('button', { name: 'Upgrade' }).click();
  await expect(page).toHaveURL(/\/pricing$/);
});

test('what is used of the month counts against the next transfer', async ({
  context,
  ownServer,
}, testInfo) => {
  const page = await openUploadPage(context.newPage(), ownServer);
  await chooseFiles(page, writeZeros(testInfo, 'first.bin', MIB));
  await startUpload(page);
  await waitForLink(page);
  await page.getByRole('button', { name: 'Upload More' }).click();
  await expect(page.getByTestId('monthly-usage')).toContainText('1 MB / 1.5 MB');
  await chooseFiles(page, writeZeros(testInfo, 'second.bin', 600 * KIB));
  await expectToast(
    page,
    'Monthly limit exceeded',
    'Your free plan allows 1.5 MB per month. You have 512 KB remaining. Upgrade for more capacity.',
  );
  await expect(page.getByText('second.bin')).toHaveCount(0);
});

test('nothing chosen is nothing to send', async ({ context, ownServer }) => {
  const page = await openUploadPage(context.newPage(), ownServer);
  await startUpload(page);
  await expectToast(page, 'No files selected', 'Please select at least one file to upload.');
});

/** With limits that a test can reach. */
async function openUploadPage(opening: Promise<Page>, server: JourneyServer): Promise<Page> {
  server.withDatabase((database) =>
    database
      .prepare('INSERT INTO settings (id, key, value, updatedAt) VALUES (?, ?, ?, ?)')
      .run('plans', 'tier-config', JSON.stringify(SMALL_PLAN), Date.now()),
  );
  const page = await opening;
  await signIn(page.context(), await createMember(server, 'free'));
  await page.goto(`${server.url}/dashboard/upload`);
  return page;
}

function writeZeros(testInfo: TestInfo, name: string, sizeBytes: number): string {
  return writeFile(testInfo, name, Buffer.alloc(sizeBytes));
}
