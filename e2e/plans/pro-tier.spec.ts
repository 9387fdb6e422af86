import type { Page } from '@playwright/test';
import { getTransfer, listTransfers, type Transfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import {
  chooseFiles,
  openOptions,
  sendWhenSubmitted,
  shareByEmail,
  startUpload,
  waitForLink,
} from '../actions/uploads.ts';

test.use({ tier: 'pro' });
test.beforeEach(sendWhenSubmitted);

test('pro plan: the upload page has every setting, starting with the plan’s retention', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await page.goto('/dashboard/upload');
  await expect(page.getByTestId('plan-facts')).toHaveText(
    'Pro plan: up to 10 GB per transfer, kept for up to 30 days',
  );
  await expect(page.getByTestId('monthly-usage')).toHaveCount(0);
  await expect(page.getByText('Maximum file size: 10 GB')).toBeVisible();
  await openOptions(page);
  await expect(page.getByLabel('Expiration days')).toHaveValue('30');
  await shareByEmail(page);
  for (const label of [
    'Title',
    'Message',
    'Recipient e-mails',
    'Expiry date',
    'Expiry time',
    'Schedule date',
  ])
    await expect(page.getByLabel(label)).toBeEnabled();
  await expect(page.getByLabel('Password', { exact: true })).toBeEnabled();
  await expect(page.getByLabel('Download limit')).toBeEnabled();
});

test('auto-delete is a Pro feature and needs a download limit', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto('/dashboard/upload');
  await openOptions(page);
  const autoDelete = page.getByRole('switch', { name: 'Auto-delete' });
  await expect(page.getByText('Pro Feature')).toHaveCount(1);
  await expect(autoDelete).toBeDisabled();
  await page.getByLabel('Download limit').fill('2');
  await autoDelete.check();
  await expect(page.getByTestId('share-summary')).toContainText('2 downloads at most, then deleted');
  await page.getByLabel('Download limit').fill('');
  await expect(autoDelete).toBeDisabled();
  await expect(page.getByTestId('share-summary')).not.toContainText('deleted');
});

test('the time of a schedule needs a date', { tag: '@all' }, async ({ memberPage: page }) => {
  await page.goto('/dashboard/upload');
  await openOptions(page);
  const time = page.getByLabel('Schedule time');
  await expect(time).toBeDisabled();
  await page.getByLabel('Schedule date').fill(localDay(2));
  await expect(time).toBeEnabled();
  await page.getByLabel('Schedule date').fill('');
  await expect(time).toBeDisabled();
});

test(
  'a custom expiry without a time is ignored, and the page says so',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await openOptions(page);
    await page.getByLabel('Expiry date').fill(localDay(5));
    await expect(page.getByText('Add a time as well. Until then, the expiration days apply.')).toBeVisible();
    await page.getByLabel('Expiration days').fill('2');
    const sent = await send(page, writeFile(testInfo, 'a.txt', 'a'), () => member.client.call(listTransfers));
    expect(Math.round((Date.parse(sent.expiresAt!) - Date.parse(sent.createdAt)) / DAY_MS)).toBe(2);
  },
);

test('an expiry time without a date asks for the date', { tag: '@all' }, async ({ memberPage: page }) => {
  await page.goto('/dashboard/upload');
  await openOptions(page);
  await page.getByLabel('Expiry time').fill('10:00');
  await expect(page.getByText('Add a date as well. Until then, the expiration days apply.')).toBeVisible();
});

test('all settings of a pro sender are applied, and the form is reset', async ({
  member,
  memberPage: page,
}, testInfo) => {
  await page.goto('/dashboard/upload');
  await page.getByLabel('Title').fill('Contract');
  await page.getByLabel('Message').fill('Please sign.');
  await shareByEmail(page);
  await page.getByLabel('Recipient e-mails').fill('rex@example.org, Vera Visitor <vera@example.org>');
  await openOptions(page);
  await page.getByLabel('Expiry date').fill(localDay(5));
  await page.getByLabel('Expiry time').fill('14:00');
  await expect(page.getByText('The date and time below are used instead.')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill('sesame');
  await page.getByLabel('Download limit').fill('3');
  await page.getByRole('switch', { name: 'Auto-delete' }).check();
  await page.getByLabel('Schedule date').fill(localDay(1));
  await page.getByLabel('Schedule time').fill('09:30');
  const summary = page.getByTestId('share-summary');
  for (const part of [
    /Opens .* 9:30 AM/,
    /Expires .* 2:00 PM/,
    /2 recipients/,
    /3 downloads at most/,
    /Password/,
  ])
    await expect(summary).toContainText(part);

  const { id } = await send(page, writeFile(testInfo, 'a.txt', 'a'), () => member.client.call(listTransfers));
  const sent = await member.client.call(getTransfer, { params: { id } });
  expect(sent).toMatchObject({
    title: 'Contract',
    message: 'Please sign.',
    recipientEmails: ['rex@example.org', 'vera@example.org'],
    isPasswordProtected: true,
    maxDownloads: 3,
    autoDeleteAfterDownloads: true,
    // The browser's time zone is Berlin.
    expiresAt: await toInstant(page, `${localDay(5)}T14:00`),
    scheduledAvailableAt: await toInstant(page, `${localDay(1)}T09:30`),
  });

  await page.getByRole('button', { name: 'Upload More' }).click();
  await expect(page.getByRole('heading', { name: 'Drop files here' })).toBeVisible();
  for (const label of [
    'Title',
    'Message',
    'Recipient e-mails',
    'Expiry date',
    'Expiry time',
    'Download limit',
  ])
    await expect(page.getByLabel(label)).toHaveValue('');
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(page.getByLabel('Expiration days')).toHaveValue('30');
  await expect(page.getByRole('list', { name: 'Addresses' })).toHaveCount(0);
});

test(
  'errors are shown at their fields, and nothing is sent',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await openOptions(page);
    await page.getByLabel('Password', { exact: true }).fill('abc');
    await page.getByLabel('Download limit').fill('0');
    await page.getByLabel('Schedule date').fill(localDay(40));
    await startUpload(page);
    await expect(page.getByText('Please use at least 4 characters.')).toBeVisible();
    await expect(page.getByText('The download limit must be at least 1')).toBeVisible();
    await expect(page.getByText('The scheduled time must be before the expiry.')).toBeVisible();
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
    await expect(page.getByTestId('upload-progress')).toHaveCount(0);
  },
);

async function send(page: Page, path: string, list: () => Promise<Transfer[]>): Promise<Transfer> {
  await chooseFiles(page, path);
  await startUpload(page);
  await waitForLink(page);
  return (await list())[0]!;
}

/** As a date field expects it. */
function localDay(daysAhead: number): string {
  return new Date(Date.now() + daysAhead * DAY_MS).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });
}

async function toInstant(page: Page, local: string): Promise<string> {
  return page.evaluate<string>(`new Date(${JSON.stringify(local)}).toISOString()`);
}
