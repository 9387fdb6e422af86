import type { Page } from '@playwright/test';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import {
  chooseFiles,
  expectToast,
  openOptions,
  sendWhenSubmitted,
  shareByEmail,
  startUpload,
  waitForLink,
} from '../actions/uploads.ts';

test.beforeEach(sendWhenSubmitted);

test('premium plan: the upload page offers 90 days and 50 GB', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto('/dashboard/upload');
  await expect(page.getByTestId('plan-facts')).toHaveText(
    'Premium plan: up to 50 GB per transfer, kept for up to 90 days',
  );
  await openOptions(page);
  await expect(page.getByLabel('Expiration days')).toHaveValue('90');
  await expect(page.getByTestId('monthly-usage')).toHaveCount(0);
  await expect(page.getByLabel('Schedule date')).toBeEnabled();
});

test(
  'while one mistake is corrected, the focus does not move to another',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    const recipients = page.getByRole('textbox', { name: 'Recipient e-mails' });
    await recipients.fill('vera@');
    await openOptions(page);
    const limit = page.getByLabel('Download limit');
    await limit.fill('0');
    await startUpload(page);
    await expect(recipients).toBeFocused();
    await expect(limit).toHaveAttribute('aria-invalid', 'true');

    await limit.press('End');
    await page.keyboard.type('5');
    await expect(limit).not.toHaveAttribute('aria-invalid', 'true');
    await page.keyboard.type('0');
    await expect(limit).toBeFocused();
    await expect(limit).toHaveValue('050');
  },
);

test(
  'invalid recipient addresses are marked and named, and corrected or removed by keyboard',
  { tag: '@all' },
  async ({ memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    const field = page.getByRole('textbox', { name: 'Recipient e-mails' });
    const chips = page.getByRole('list', { name: 'Addresses' }).getByRole('listitem');
    await field.pressSequentially('rex@example.org,vera@ ;REX@example.org foo@bar');
    await page.keyboard.press('Enter');
    await expect(chips).toHaveText(['rex@example.org', 'vera@', 'foo@bar']);
    const mistake = page.getByText(
      'Please enter a valid email address: “vera@” has nothing after the @, “foo@bar” has no ending like .com.',
    );
    await expect(mistake).toBeVisible();
    await expect(field).toHaveAttribute('aria-invalid', 'true');

    await test.step('a wrong one stops the upload', async () => {
      await startUpload(page);
      await expect(field).toBeFocused();
      await expect(page.getByTestId('upload-progress')).toHaveCount(0);
    });
    await test.step('Backspace brings the last back', async () => {
      await field.press('Backspace');
      await expect(field).toHaveValue('foo@bar');
      await field.pressSequentially('.de,');
      await expect(chips).toHaveText(['rex@example.org', 'vera@', 'foo@bar.de']);
    });
    await test.step('a wrong one is pressed to mend it', async () => {
      await page.getByRole('button', { name: 'Correct vera@' }).press('Enter');
      await expect(field).toBeFocused();
      await field.pressSequentially('example.org ');
      await expect(chips).toHaveText(['rex@example.org', 'foo@bar.de', 'vera@example.org']);
      await expect(field).not.toHaveAttribute('aria-invalid', 'true');
    });
    await test.step('arrows go along the chips, Delete takes one out', async () => {
      await page.getByRole('button', { name: 'Remove rex@example.org' }).focus();
      await page.keyboard.press('ArrowRight');
      await expect(page.getByRole('button', { name: 'Remove foo@bar.de' })).toBeFocused();
      await page.keyboard.press('Delete');
      await expect(chips).toHaveText(['rex@example.org', 'vera@example.org']);
      await expect(page.getByRole('button', { name: 'Remove vera@example.org' })).toBeFocused();
      await page.keyboard.press('Delete');
      await expect(field).toBeFocused();
    });
    await expect(page.getByTestId('share-summary')).toContainText('1 recipient');
  },
);

test('a list of recipients from an email program can be pasted as it is', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto('/dashboard/upload');
  await shareByEmail(page);
  const field = page.getByRole('textbox', { name: 'Recipient e-mails' });
  await field.focus();
  const list = '"Roe, Rex" <rex@example.org>; Vera <vera@example.org>\nada@example.org paula@example.org';
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(list)})`);
  await page.keyboard.press('Control+v');
  await expect(page.getByRole('list', { name: 'Addresses' }).getByRole('listitem')).toHaveText([
    'rex@example.org',
    'vera@example.org',
    'ada@example.org',
    'paula@example.org',
  ]);
  await expect(page.getByTestId('share-summary')).toContainText('4 recipients');
});

test(
  'an address that is still being typed is included',
  { tag: '@all' },
  async ({ member, memberPage: page }, testInfo) => {
    await page.goto('/dashboard/upload');
    await chooseFiles(page, writeFile(testInfo, 'a.txt', 'a'));
    await shareByEmail(page);
    await page.getByLabel('Recipient e-mails').pressSequentially('rex@example.org, vera@example.org');
    await startUpload(page);
    await waitForLink(page);
    const [sent] = await member.client.call(listTransfers);
    expect(sent?.recipientEmails).toEqual(['rex@example.org', 'vera@example.org']);
  },
);

test('the success dialog has copy, QR code, Resend Email, Upload More and View Transfers', async ({
  memberPage: page,
}, testInfo) => {
  await page.goto('/dashboard');
  await expect(page.getByText('No transfers yet')).toBeVisible();
  await page.getByRole('link', { name: 'Upload Files' }).first().click();
  await sendOne(page, writeFile(testInfo, 'first.txt', '1'), 'First');
  const link = await waitForLink(page);
  const dialog = page.getByRole('dialog', { name: 'Ready to share' });
  await expect(dialog.getByRole('img', { name: 'QR code of the share link' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy Link' }).click();
  await expectToast(page, 'Link copied!', 'Share link has been copied to clipboard.');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(link);
  await dialog.getByRole('button', { name: 'Resend Email' }).click();
  await expectToast(page, 'Email resent!', 'rex@example.org');

  await dialog.getByRole('button', { name: 'Upload More' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('total-size')).toHaveCount(0);
  await sendOne(page, writeFile(testInfo, 'second.txt', '2'), 'Second');
  await waitForLink(page);
  await dialog.getByRole('link', { name: 'View Transfers' }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByRole('article', { name: 'First' })).toBeVisible();
  await expect(page.getByRole('article', { name: 'Second' })).toBeVisible();
});

async function sendOne(page: Page, path: string, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await shareByEmail(page);
  await page.getByLabel('Recipient e-mails').fill('rex@example.org');
  await chooseFiles(page, path);
  await startUpload(page);
}
