import type { Page, TestInfo } from '@playwright/test';
import { DEFAULT_TIER_CONFIG, type TierConfig } from '../../contracts/plans/tiers.ts';
import { listTransfers, type Transfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { KIB, MIB } from '../../contracts/values/sizes.ts';
import { test as base, expect } from '../actions/fixtures.ts';
import { createMember, signIn } from '../actions/people.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, expectToast, openOptions, startUpload, waitForLink } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

const SMALL_PLAN: TierConfig = {
  ...DEFAULT_TIER_CONFIG,
  free: {
    ...DEFAULT_TIER_CONFIG.free,
    storagePerTransfer: MIB,
    monthlyTotal: MIB + 512 * KIB,
  },
};

/** With limits that a test can reach. */
const test = base.extend<object, { smallServer: JourneyServer }>({
  smallServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
    async ({}, use) => {
      const server = await startJourneyServer();
      server.withDatabase((database) =>
        database
          .prepare('INSERT INTO settings (id, key, value, updatedAt) VALUES (?, ?, ?, ?)')
          .run('plans', 'tier-config', JSON.stringify(SMALL_PLAN), Date.now()),
      );
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
});

test('free plan: the upload page shows limits, usage and the password as the only Pro feature', async ({
  context,
  smallServer,
}) => {
  const page = await openUploadPage(context.newPage(), smallServer);
  await expect(page.getByTestId('plan-facts')).toHaveText(
    'Free plan: up to 1 MB per transfer, kept for up to 3 days',
  );
  await expect(page.getByTestId('monthly-usage')).toContainText('0 B / 1.5 MB');
  await expect(page.getByText('Maximum file size: 1 MB')).toBeVisible();
  await openOptions(page);
  await expect(page.getByLabel('Expiration days')).toHaveValue('3');
  await expect(page.getByLabel('Password', { exact: true })).toBeDisabled();
  await expect(page.getByText('Pro Feature')).toBeVisible();
  await expect(page.getByLabel('Download limit')).toHaveCount(0);
  await expect(page.getByLabel('Schedule date')).toHaveCount(0);
  await expect(page.getByLabel('Schedule time')).toHaveCount(0);
  await expect(page.getByLabel('Auto-delete')).toHaveCount(0);
  await page.getByRole('main').getByRole('link', { name: 'Upgrade' }).click();
  await expect(page).toHaveURL(/\/pricing$/);
});

test('no limits are shown before they are known', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  const gate = Promise.withResolvers<void>();
  await page.route('**/api/tier-config', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto('/dashboard/upload');
  await expect(page.getByText('Loading your plan')).toBeAttached();
  await expect(page.getByTestId('share-summary')).toHaveCount(0);
  await expect(page.getByText('Maximum file size')).toHaveCount(0);
  await openOptions(page);
  await expect(page.getByLabel('Expiration days')).toHaveValue('3');
  gate.resolve();
  await expect(page.getByTestId('plan-facts')).toContainText('up to 50 GB per transfer');
  await expect(page.getByLabel('Expiration days')).toHaveValue('90');
});

test('the fallback limit is 10 GB per month for a free sender if the configuration fails to load', {
  tag: '@all',
}, async ({ context, server }) => {
  await signIn(context, await createMember(server, 'free'));
  const page = await context.newPage();
  await page.route('**/api/tier-config', (route) => route.abort());
  await page.goto('/dashboard/upload');
  await expect(page.getByTestId('monthly-usage')).toContainText('0 B / 10 GB');
  await openOptions(page);
  await expect(page.getByText('1 to 3 days on your plan')).toBeVisible();
});

test.describe('a free member', () => {
  test.use({ tier: 'free' });
  test(
    'days outside the plan are ignored, and the field says so',
    { tag: '@all' },
    async ({ member, memberPage: page }, testInfo) => {
      await page.goto('/dashboard/upload');
      await openOptions(page);
      const days = page.getByLabel('Expiration days');
      await days.fill('120');
      await page.getByLabel('Title').click();
      await expect(days).toHaveValue('3');
      await expect(page.getByText('Your plan allows 1 to 3 days, so we set it to 3.')).toBeVisible();
      await days.fill('2');
      await expect(page.getByText('so we set it to')).toHaveCount(0);
      await chooseFiles(page, writeZeros(testInfo, 'note.txt', 10));
      await startUpload(page);
      await waitForLink(page);
      const [sent] = await member.client.call(listTransfers);
      expect(lifeDays(sent!)).toBe(2);
    },
  );
});

test(
  'a transfer above the size limit shows a toast with a link to the plans',
  { tag: '@all' },
  async ({ context, smallServer }, testInfo) => {
    const page = await openUploadPage(context.newPage(), smallServer);
    await chooseFiles(page, writeZeros(testInfo, 'large.bin', MIB + 1));
    await expectToast(
      page,
      'File size limit exceeded',
      'Your free plan allows up to 1 MB per transfer. Upgrade to increase your limit.',
    );
    await expect(page.getByText('large.bin')).toHaveCount(0);
    await page.getByRole('button', { name: 'Upgrade' }).click();
    await expect(page).toHaveURL(/\/pricing$/);
  },
);

test(
  'files added later count against the size limit',
  { tag: '@all' },
  async ({ context, smallServer }, testInfo) => {
    const page = await openUploadPage(context.newPage(), smallServer);
    await chooseFiles(page, writeZeros(testInfo, 'one.bin', 700 * KIB));
    await chooseFiles(page, writeZeros(testInfo, 'two.bin', 700 * KIB));
    await expectToast(page, 'File size limit exceeded');
    await expect(page.getByTestId('total-size')).toHaveText('1 file, 700 KB in total');
  },
);

test(
  'an upload above the monthly limit shows what remains and a link to the plans',
  { tag: '@all' },
  async ({ context, smallServer }, testInfo) => {
    const page = await openUploadPage(context.newPage(), smallServer);
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
    await page.getByRole('button', { name: 'Upgrade' }).click();
    await expect(page).toHaveURL(/\/pricing$/);
  },
);

test('uploading without files shows “No files selected”', { tag: '@all' }, async ({
  context,
  smallServer,
}) => {
  const page = await openUploadPage(context.newPage(), smallServer);
  await startUpload(page);
  await expectToast(page, 'No files selected', 'Please select at least one file to upload.');
});

/** From creation to expiry. */
function lifeDays({ createdAt, expiresAt }: Transfer): number {
  return Math.round((Date.parse(expiresAt!) - Date.parse(createdAt)) / DAY_MS);
}

async function openUploadPage(opening: Promise<Page>, server: JourneyServer): Promise<Page> {
  const page = await opening;
  await signIn(page.context(), await createMember(server, 'free'));
  await page.goto(`${server.url}/dashboard/upload`);
  // The page shows default limits until it has loaded them.
  await expect(page.getByTestId('plan-facts')).toContainText('1 MB');
  return page;
}

function writeZeros(testInfo: TestInfo, name: string, sizeBytes: number): string {
  return writeFile(testInfo, name, Buffer.alloc(sizeBytes));
}
