import { fileDownloadPath, sharePath } from '../../contracts/values/addresses/links.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expect, test } from '../actions/fixtures.ts';
import { sha256 } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

const FILES = [{ fileName: 'rushes.bin', bytes: Buffer.from('scene one') }];

/** Tests can't use the browser's file picker, so the file is written to the origin's private storage. */
const PICK_PRIVATE_PLACE = `window.showSaveFilePicker = async ({ suggestedName }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`;
const READ_PRIVATE_PLACE = `(async () => {
    const place = await (await navigator.storage.getDirectory()).getFileHandle('film.bin');
    return Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', await (await place.getFile()).arrayBuffer())))
      .map((byte) => byte.toString(16).padStart(2, '0')).join('');
  })()`;

test('a download with live progress survives an interruption, is counted once and arrives complete', {
  tag: '@all',
}, async ({ member, visitorPage: page }) => {
  const bytes = makeBytes(3_000_000, 'film');
  const { token, fileIds } = await sendTransfer(member.client, [{ fileName: 'film.bin', bytes }], {
    maxDownloads: 1,
  });
  await page.addInitScript(PICK_PRIVATE_PLACE);
  const ranges: (string | undefined)[] = [];
  await page.route(`**${fileDownloadPath(token, fileIds[0]!)}`, async (route) => {
    const request = route.request();
    if (request.method() !== 'GET') return route.continue();
    ranges.push(request.headers().range);
    if (ranges.length === 2) return route.abort('connectionreset');
    const response = await route.fetch();
    // Truncates the first response: its length announces more bytes than it has.
    const body = await response.body();
    await route.fulfill({ response, body: ranges.length === 1 ? body.subarray(0, 1_000_000) : body });
  });
  await page.goto(sharePath(token));
  await page.getByText('More ways to download').click();
  await page.getByRole('button', { name: 'Choose a location and start' }).click();
  await expectToast(page, 'Download complete');
  expect(await page.evaluate<string>(READ_PRIVATE_PLACE)).toBe(sha256(bytes));
  expect(ranges).toEqual([undefined, 'bytes=1000000-', 'bytes=1000000-']);
  await expect(page.getByText('Download limit reached.')).toBeVisible();
});

test('a download with live progress can be canceled', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES);
  await page.addInitScript(PICK_PRIVATE_PLACE);
  await page.route('**/file/*', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await page.goto(sharePath(token));
  await page.getByText('More ways to download').click();
  await page.getByRole('button', { name: 'Choose a location and start' }).click();
  await expect(page.getByText(/Connection lost/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Choose a location and start' })).toBeVisible();
  await expect(page.locator('[data-toast-region]')).not.toContainText('Download failed');
});
