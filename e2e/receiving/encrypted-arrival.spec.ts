import type { Page, TestInfo } from '@playwright/test';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { row } from '../actions/downloads.ts';
import { hashPrivateFiles, NO_PICKERS, openEncrypted, PICK_PRIVATE_PLACES } from '../actions/encrypted.ts';
import { expect, test } from '../actions/fixtures.ts';
import { readDownload, sha256, writeFiles } from '../actions/sample-files.ts';
import { dropFiles, openOptions, UPLOAD_MS, waitForLink } from '../actions/uploads.ts';

const FILM = makeBytes(30 * MIB, 'film');
const NOTE = Buffer.from('hello');

/**
 * Shares the link of an encrypted upload that holds its chunks after the first two. Once released, the answer to one of
 * them is lost.
 */
async function shareHalfway(page: Page, testInfo: TestInfo): Promise<{ link: string; release(): void }> {
  const folder = writeFiles(testInfo, { 'rushes/film.bin': FILM, 'rushes/note.txt': NOTE });
  const gate = Promise.withResolvers<void>();
  let seen = 0;
  await page.route('**/api/upload/chunk/**', async (route) => {
    seen += 1;
    const place = seen;
    if (place > 2) await gate.promise;
    if (place !== 3) return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.goto('/dashboard/upload');
  await openOptions(page);
  await page.getByRole('switch', { name: 'End-to-end encrypted' }).check();
  await dropFiles(page, [`${folder}/rushes`]);
  await page.getByRole('button', { name: 'Share the link now' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Share the link now' }).click();
  const live = page.getByRole('region', { name: 'Your link works already' });
  await expect(live).toContainText('Nobody can restore the key in this link');
  return { link: (await live.locator('code').textContent())!, release: gate.resolve };
}

test('recipients save an encrypted folder while it is being sent, and every byte is the sender’s', async ({
  memberPage,
  visitorPage: page,
}, testInfo) => {
  const { link, release } = await shareHalfway(memberPage, testInfo);
  await page.addInitScript(PICK_PRIVATE_PLACES);
  await openEncrypted(page, link);
  const arrival = page.getByRole('region', { name: 'These files are still arriving' });
  await expect(arrival).toContainText('of 30 MB');
  await expect(row(page, 'film.bin')).toContainText('Arriving');
  await expectAccessible(page, 'an encrypted transfer that arrives');
  await page
    .getByRole('button', { name: /^Start now/ })
    .first()
    .click();
  await expect(page.getByText('Decrypting and saving')).toBeVisible();

  release();
  await expect(page.getByText(/^Saved 2 files in the folder/)).toBeVisible({ timeout: UPLOAD_MS });
  const saved = Object.values(await hashPrivateFiles(page)).sort();
  expect(saved).toEqual([sha256(FILM), sha256(NOTE)].sort());
  expect(await waitForLink(memberPage)).toBe(link);
  // The list has the checksums now, which a zip needs.
  await expect(arrival).toBeHidden();
  await page.getByText('More ways to save').click();
  await expect(page.getByRole('button', { name: 'Save as zip' })).toBeVisible();
});

test('a browser that saves no folders saves single files while they arrive, and all of them afterwards', async ({
  memberPage,
  visitorPage: page,
}, testInfo) => {
  const { link, release } = await shareHalfway(memberPage, testInfo);
  await page.addInitScript(NO_PICKERS);
  await openEncrypted(page, link);
  await expect(page.getByText('This browser saves several files as one zip')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Start now/ })).toHaveCount(0);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save film.bin' }).click();
  release();
  expect(sha256(await readDownload(await download))).toBe(sha256(FILM));
  await page
    .getByRole('button', { name: /^Save All Files/ })
    .first()
    .waitFor();
});
