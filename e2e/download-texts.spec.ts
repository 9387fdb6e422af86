import type { Page } from '@playwright/test';
import { fileDownloadPath, sharePath, zipDownloadPath } from '../contracts/links.ts';
import { sendTransfer } from '../server/testing/send-transfer.ts';
import { expect, test } from './fixtures.ts';
import { expectToast } from './upload-actions.ts';

// The download page's words, to the letter of the specification.

const FILES = [
  { fileName: 'rushes.bin', bytes: Buffer.alloc(1_536, 1) },
  { fileName: 'notes.bin', bytes: Buffer.from('take two') },
];
const DAY_MS = 24 * 3_600_000;

test('§2 Download: loading skeleton', async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES, { title: 'Rushes' });
  const answers: (() => void)[] = [];
  await page.route(`**/api/download/${token}?*`, (route) => holdBack(route, answers));
  await page.route(`**/api/download/${token}`, (route) => holdBack(route, answers));
  await page.goto(sharePath(token));
  await expect(page.getByRole('status').filter({ hasText: 'Loading transfer' })).toBeVisible();
  await expect(page.getByRole('contentinfo')).toHaveCount(0);
  for (const answer of answers) answer();
  await expect(page.getByRole('heading', { name: 'Rushes' })).toBeVisible();
});

test("§2 Download: 'Transfer Not Found'", async ({ visitorPage: page }) => {
  await page.goto(sharePath('n'.repeat(26)));
  await expect(page.getByRole('heading', { name: 'Transfer Not Found', exact: true })).toBeVisible();
  await expect(
    page.getByText('This transfer may have expired or been deleted.', { exact: true }),
  ).toBeVisible();
});

test("§2 Download: 'Password Required' and 'Unlock Transfer'", async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES, { password: 'sesame' });
  await page.goto(sharePath(token));
  await expect(page.getByRole('heading', { name: 'Password Required', exact: true })).toBeVisible();
  const unlock = page.getByRole('button', { name: 'Unlock Transfer', exact: true });
  await expect(unlock).toBeDisabled();
  await page.getByLabel('Password', { exact: true }).fill('  ');
  await expect(unlock).toBeDisabled();
  await page.getByLabel('Password', { exact: true }).fill('x');
  await expect(unlock).toBeEnabled();
});

test("§2 Download: 'Transfer Expired'", async ({ server, member, visitorPage: page }) => {
  const { id, token } = await sendTransfer(member.client, FILES);
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = ? WHERE id = ?').run(Date.now() - DAY_MS, id),
  );
  await page.goto(sharePath(token));
  await expect(page.getByRole('heading', { name: 'Transfer Expired', exact: true })).toBeVisible();
  const text = 'This transfer has expired and is no longer available for download.';
  await expect(page.getByText(text, { exact: true })).toBeVisible();
});

test('§2 Download: information card with every row and badge', async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES, {
    title: 'Rushes',
    message: 'As promised.',
    password: 'sesame',
    maxDownloads: 3,
    expirationDays: 5,
  });
  await page.goto(sharePath(token));
  await page.getByLabel('Password', { exact: true }).fill('sesame');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Rushes', exact: true })).toBeVisible();
  await expect(page.getByText('2 files · 1.5 KB', { exact: true })).toBeVisible();
  const card = page.getByRole('region', { name: 'Transfer Information' });
  await expect(card.getByText('Password Protected', { exact: true })).toBeVisible();
  await expect(card.getByText('Message from sender', { exact: true })).toBeVisible();
  await expect(card.getByText('As promised.', { exact: true })).toBeVisible();
  await expect(card.getByText('Expires in 5 days', { exact: true })).toBeVisible();
  await expect(card.locator('dl > div')).toHaveText([
    /^Uploaded\w{3} \d{1,2}, \d{4}$/,
    'Download Limit0 / 3',
    'Total Downloads0',
  ]);
  await expect(page.getByRole('contentinfo')).toContainText('Sendwell');
});

test('§2 Download: a plain transfer has neither badge, message nor limit', async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES.slice(0, 1));
  await page.goto(sharePath(token));
  const card = page.getByRole('region', { name: 'Transfer Information' });
  await expect(card.locator('dl > div')).toHaveText([/^Uploaded/, 'Total Downloads0']);
  await expect(page.getByText('Password Protected')).toHaveCount(0);
  await expect(page.getByText('Message from sender')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Download All Files' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Download', exact: true })).toBeVisible();
});

test("§2 Download: 'Download All Files' becomes 'Preparing Download...'", async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES);
  const answers: (() => void)[] = [];
  await page.route(`**${zipDownloadPath(token)}`, (route) => holdBack(route, answers));
  await page.goto(sharePath(token));
  await page.getByRole('button', { name: 'Download All Files', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Preparing Download...', exact: true })).toBeVisible();
  for (const answer of answers) answer();
  await expectToast(page, 'Download started');
});

test('§2 Download: a row shows name, size and count in singular and plural', async ({
  server,
  member,
  visitorPage: page,
}) => {
  const { id, token } = await sendTransfer(member.client, FILES);
  server.withDatabase((database) =>
    database
      .prepare("UPDATE files SET downloadCount = 1 WHERE transferId = ? AND originalName = 'notes.bin'")
      .run(id),
  );
  await page.goto(sharePath(token));
  const rows = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await expect(rows.nth(0)).toContainText('notes.bin');
  await expect(rows.nth(0)).toContainText('8 B · 1 download');
  await expect(rows.nth(0)).not.toContainText('1 downloads');
  await expect(rows.nth(1)).toContainText('rushes.bin');
  await expect(rows.nth(1)).toContainText('1.5 KB · 0 downloads');
});

test('§8 Toast: Download password wrong', async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES, { password: 'sesame' });
  await page.goto(sharePath(token));
  await page.getByLabel('Password', { exact: true }).fill('barley');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Invalid password', 'Please check your password and try again');
  await page.getByLabel('Password', { exact: true }).fill('sesame');
  await page.getByRole('button', { name: 'Unlock Transfer' }).click();
  await expectToast(page, 'Access granted');
});

test('§8 Toast: File download failure and success', async ({ member, visitorPage: page }) => {
  const { token, fileIds } = await sendTransfer(member.client, FILES);
  const path = `**${fileDownloadPath(token, fileIds[0]!)}`;
  await page.route(path, (route) => route.abort());
  await page.goto(sharePath(token));
  await page.getByRole('link', { name: 'rushes.bin' }).click();
  await expectToast(page, 'Download failed', 'Failed to download file. Please try again.');
  await page.unroute(path);
  await startDownload(page, () => page.getByRole('link', { name: 'rushes.bin' }).click());
  await expectToast(page, 'Download started');
});

test('§8 Toast: Zip failure', async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES);
  await page.route(`**${zipDownloadPath(token)}`, (route) => route.fulfill({ status: 500 }));
  await page.goto(sharePath(token));
  await page.getByRole('button', { name: 'Download All Files' }).click();
  await expectToast(page, 'Download failed', 'Failed to download files. Please try again.');
});

type Route = { continue: () => Promise<void> };

/** Lets a request wait until its answer is wanted. */
async function holdBack(route: Route, answers: (() => void)[]): Promise<void> {
  await new Promise<void>((resolve) => answers.push(resolve));
  await route.continue();
}

async function startDownload(page: Page, start: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('download'), start()]);
}
