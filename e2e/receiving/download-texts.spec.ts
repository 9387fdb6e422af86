import type { Page } from '@playwright/test';
import { fileDownloadPath, sharePath, zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';

// The exact texts of the specification.

const FILES = [
  { fileName: 'rushes.bin', bytes: Buffer.alloc(1_536, 1) },
  { fileName: 'notes.bin', bytes: Buffer.from('take two') },
];

test('“Download All Files” becomes “Preparing Download...”', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES);
  const answers: (() => void)[] = [];
  await page.route(`**${zipDownloadPath(token)}`, (route) => holdBack(route, answers));
  await page.goto(sharePath(token));
  await page.getByRole('button', { name: /^Download All Files/ }).click();
  await expect(page.getByRole('button', { name: /^Preparing Download\.\.\./ })).toBeVisible();
  for (const answer of answers) answer();
  await expectToast(page, 'Download started');
});

test('file downloads report failure and success', { tag: '@all' }, async ({ member, visitorPage: page }) => {
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

test('a failed zip download is reported', { tag: '@all' }, async ({ member, visitorPage: page }) => {
  const { token } = await sendTransfer(member.client, FILES);
  await page.route(`**${zipDownloadPath(token)}`, (route) => route.fulfill({ status: 500 }));
  await page.goto(sharePath(token));
  await page.getByRole('button', { name: 'Download All Files' }).click();
  await expectToast(page, 'Download failed', 'Failed to download files. Please try again.');
});

type Route = { continue: () => Promise<void> };

/** Holds a request until its response is wanted. */
async function holdBack(route: Route, answers: (() => void)[]): Promise<void> {
  await new Promise<void>((resolve) => answers.push(resolve));
  await route.continue();
}

async function startDownload(page: Page, start: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('download'), start()]);
}
