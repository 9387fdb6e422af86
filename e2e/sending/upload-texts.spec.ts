import type { Page } from '@playwright/test';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import {
  chooseFiles,
  expectToast,
  sendWhenSubmitted,
  shareByEmail,
  startUpload,
  waitForLink,
} from '../actions/uploads.ts';

// Sends when Upload is pressed; ahead.spec.ts covers sending as soon as files are added.
test.beforeEach(sendWhenSubmitted);

// Errors of a broken or busy server are faked; everything else is the real server.

test(
  'a failure to initialize the upload is reported and can be retried',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await refuse(page, '**/api/upload/init-many', { status: 409, detail: 'Not now.', code: 'conflict' });
    await startUpload(page);
    await expectToast(page, 'Upload failed', 'Failed to initialize upload: Not now.');
    await expect(page.getByTestId('upload-progress')).toHaveAttribute('data-phase', 'failed');
    await tryAgain(page);
  },
);

test(
  'a failed chunk is reported, counted from one, and can be retried',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await refuse(page, '**/api/upload/chunk/**', {
      status: 413,
      detail: 'Too long.',
      code: 'chunk_too_long',
    });
    await startUpload(page);
    await expectToast(page, 'Upload failed', 'Failed to upload chunk 1: Too long.');
    await tryAgain(page);
  },
);

test(
  'a failure to complete the upload is reported and can be retried',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await refuse(page, '**/api/upload/complete-many', { status: 409, detail: 'Not now.', code: 'conflict' });
    await startUpload(page);
    await expectToast(page, 'Upload failed', 'Failed to complete upload: Not now.');
    await expect(page.getByText('a.txt')).toBeVisible();
    await tryAgain(page);
  },
);

test('a successful upload is reported', { tag: '@all' }, async ({ memberPage: page }, testInfo) => {
  await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
  await startUpload(page);
  await expectToast(page, 'Upload successful!');
  await waitForLink(page);
});

test(
  'at the daily email limit files and form are kept, and the link can be created alone',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    const detail = 'You can email 3 more people today. Share the link yourself, or try again in 5 hours.';
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await page.getByLabel('Title').fill('Invitation');
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').fill('rex@example.org, vera@example.org,');
    await refuse(page, '**/api/upload/complete-many', {
      status: 429,
      detail,
      code: 'daily_mails_exceeded',
      retryAfter: 18_000,
    });
    await startUpload(page);
    await expectToast(page, 'Upload failed', `Failed to complete upload: ${detail}`);
    await expect(page.getByRole('group', { name: 'Share Settings' }).getByText(detail)).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Recipient e-mails' })).toBeFocused();
    await expect(page.getByRole('list', { name: 'Addresses' }).getByRole('listitem')).toHaveCount(2);
    await expect(page.getByLabel('Title')).toHaveValue('Invitation');
    await expect(page.getByText('a.txt')).toBeVisible();

    await page.getByRole('button', { name: 'Upload without emails' }).click();
    await waitForLink(page);
    const [sent] = await member.client.call(listTransfers);
    expect(sent).toMatchObject({ title: 'Invitation', recipientEmails: [], fileCount: 1 });
  },
);

test(
  'when the day’s emails are used up, removing the recipients lets the upload complete',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').fill('rex@example.org,');
    await refuse(page, '**/api/upload/complete-many', {
      status: 429,
      detail: 'You can mail 0 more people today.',
      code: 'daily_mails_exceeded',
      retryAfter: 18_000,
    });
    await startUpload(page);
    await expectToast(page, 'Upload failed');
    await page.getByRole('button', { name: 'Remove rex@example.org' }).click();
    await page.getByTestId('upload-progress').getByRole('button', { name: 'Try again' }).click();
    await waitForLink(page);
  },
);

test(
  'a failed resend shows the server’s message, then it succeeds',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').fill('rex@example.org');
    await startUpload(page);
    await waitForLink(page);
    await refuse(page, '**/api/transfers/*/resend', {
      status: 429,
      detail: 'Too many attempts. Please wait 1 minute and try again.',
      code: 'too_many_requests',
    });
    const resend = page.getByRole('button', { name: 'Resend Email' });
    await resend.click();
    await expectToast(
      page,
      'Failed to resend email',
      '429: Too many attempts. Please wait 1 minute and try again.',
    );
    await resend.click();
    await expectToast(page, 'Email resent!', 'rex@example.org');
  },
);

test(
  'the first email from the dialog is confirmed, and an empty list cannot be sent',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await startUpload(page);
    await waitForLink(page);
    const dialog = page.getByRole('dialog', { name: 'Ready to share' });
    await dialog.getByRole('button', { name: 'Send by email' }).click();
    const send = dialog.getByRole('button', { name: 'Send Email' });
    await expect(send).toBeDisabled();
    await dialog.getByLabel('Recipient e-mails').fill('rex@example.org');
    await send.click();
    await expectToast(page, 'Email sent!', 'rex@example.org');
    await expect(dialog.getByText('Sent to rex@example.org')).toBeVisible();
  },
);

test(
  'resending without transfer data is reported',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await chooseOne(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').fill('rex@example.org');
    // A server of another version that does not send the ID.
    await page.route('**/api/upload/complete-many', async (route) => {
      const response = await route.fetch();
      const { token } = (await response.json()) as { token: string };
      await route.fulfill({ response, json: { token, transfer: {} } });
    });
    await startUpload(page);
    await waitForLink(page);
    await page.getByRole('button', { name: 'Resend Email' }).click();
    await expectToast(page, 'Transfer information not available');
  },
);

async function chooseOne(page: Page, path: string): Promise<void> {
  await page.goto('/dashboard/upload');
  await chooseFiles(page, path);
}

type Refusal = { status: number; detail: string; code: string; retryAfter?: number };

/** Refuses the next call to this address; later calls reach the server. */
async function refuse(page: Page, address: string, { retryAfter, ...problem }: Refusal): Promise<void> {
  await page.route(
    address,
    (route) =>
      route.fulfill({
        status: problem.status,
        contentType: 'application/problem+json',
        headers: retryAfter ? { 'retry-after': String(retryAfter) } : {},
        body: JSON.stringify(problem),
      }),
    { times: 1 },
  );
}

async function tryAgain(page: Page): Promise<void> {
  await page.getByTestId('upload-progress').getByRole('button', { name: 'Try again' }).click();
  await waitForLink(page);
}
