import type { Page } from '@playwright/test';
import type { DownloadView } from '../../contracts/transfers/downloads/downloads.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { HOUR_MS } from '../../contracts/values/durations.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { readDownload, sha256 } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const FILES = [
  { fileName: 'rushes.bin', bytes: Buffer.from('scene one') },
  { fileName: 'notes.bin', bytes: Buffer.from('take two') },
];

test('a scheduled transfer counts down and opens automatically', { tag: '@full-browser' }, async ({
  server,
  member,
  visitorPage: page,
}) => {
  const scheduledAvailableAt = new Date(Date.now() + 26 * HOUR_MS).toISOString();
  const { id, token } = await sendTransfer(member.client, FILES, { title: 'Presents', scheduledAvailableAt });
  await page.clock.install();
  await page.goto(sharePath(token));
  const timer = page.getByRole('timer', { name: 'Time until the download opens' });
  await expect(timer).toHaveText(/^1 day0[12]:\d\d:\d\d$/);
  await page.clock.fastForward(25 * HOUR_MS);
  await expect(timer).toHaveText(/^0[01]:\d\d:\d\d$/);
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET scheduledAvailableAt = ? WHERE id = ?').run(Date.now() - 1, id),
  );
  await page.clock.fastForward(HOUR_MS);
  await expect(page.getByRole('link', { name: 'rushes.bin' })).toBeVisible();
});

test('the badge stays up to date while the page is open', { tag: ['@all', '@full-browser'] }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES, { expirationDays: 3 });
  await page.clock.install();
  await page.goto(sharePath(token));
  await expect(page.getByText('Expires in 3 days')).toBeVisible();
  await page.clock.fastForward(26 * HOUR_MS);
  await expect(page.getByText('Expires in 2 days')).toBeVisible();
});

test('an unreachable server is not reported as a missing transfer', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES, { title: 'Rushes' });
  const calls = `**/api/download/${token}*`;
  await page.route(calls, (route) => route.abort());
  await page.goto(sharePath(token));
  await expect(page.getByRole('heading', { name: 'Transfer Not Found' })).toBeVisible();
  await page.unroute(calls);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Rushes' })).toBeVisible();
});

test('the password is not sent twice while a check is running', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES, { password: 'sesame', title: 'Cave' });
  let asked = 0;
  const answers: (() => void)[] = [];
  await page.route('**/verify*', async (route) => {
    asked += 1;
    await new Promise<void>((resolve) => answers.push(resolve));
    await route.continue();
  });
  await page.goto(sharePath(token));
  await page.getByLabel('Password', { exact: true }).fill('sesame');
  await page.keyboard.press('Enter');
  const button = page.getByRole('button', { name: 'Verifying...' });
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await button.click({ force: true });
  for (const answer of answers) answer();
  await expect(page.getByRole('heading', { name: 'Cave' })).toBeVisible();
  expect(asked).toBe(1);
});

test('a file shows the checksum of its bytes', { tag: ['@full-browser', '@all'] }, async ({
  server,
  member,
  visitorPage: page,
}) => {
  const { id, token } = await sendTransfer(member.client, FILES);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const expected = sha256(FILES[1]!.bytes);
  await waitForChecksums(server, id);
  const reveal = await hideChecksums(page, token);
  await page.clock.install();
  await page.goto(sharePath(token));
  await page.getByRole('button', { name: 'Details of notes.bin' }).click();
  const dialog = page.getByRole('dialog', { name: 'File details' });
  await expect(dialog.getByText('Still being computed')).toBeVisible();
  await reveal();
  await page.clock.fastForward(6_000);
  await expect(dialog.getByText(expected)).toBeVisible();
  await expectAccessible(page, 'the details of a file');
  await dialog.getByRole('button', { name: 'Copy SHA-256' }).click();
  await expectToast(page, 'Copied!');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(expected);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('button', { name: 'Details of notes.bin' })).toBeFocused();
});

test('SHA256SUMS lists every file once all checksums are computed', {
  tag: ['@all', '@full-browser'],
}, async ({ server, member, visitorPage: page }) => {
  const { id, token } = await sendTransfer(member.client, FILES);
  await waitForChecksums(server, id);
  const reveal = await hideChecksums(page, token);
  await page.clock.install();
  await page.goto(sharePath(token));
  await page.getByText('More ways to download').click();
  await expect(page.getByText('still being computed (0 of 2)')).toBeVisible();
  await reveal();
  await page.clock.fastForward(6_000);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'SHA256SUMS' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('SHA256SUMS');
  const sums = (await readDownload(download)).toString();
  for (const { fileName, bytes } of FILES) expect(sums).toContain(`${sha256(bytes)}  ${fileName}\n`);
});

test('the server learns the referring page without its query', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES);
  const view = page.waitForRequest((request) => request.url().includes(`/api/download/${token}?`));
  await page.goto(sharePath(token), { referer: 'https://news.example/story?reader=7' });
  expect(new URL((await view).url()).searchParams.get('from')).toBe('https://news.example/story');
});

test('abuse can be reported from the footer', { tag: '@all' }, async ({
  server,
  member,
  visitorPage: page,
}) => {
  const { id, token } = await sendTransfer(member.client, FILES);
  await page.goto(sharePath(token));
  // A short break of the connection only delays the form.
  await page.route('**/report-form-*.js', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Report abuse' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report this transfer' });
  await dialog.getByRole('button', { name: 'Send Report' }).click();
  await expect(dialog.getByText('Please choose a reason')).toBeVisible();
  await expect(dialog.getByLabel('Reason')).toBeFocused();
  await expectAccessible(page, 'the report with a mistake');
  await dialog.getByLabel('Reason').selectOption('It contains malware');
  await dialog.getByLabel('Details').fill('notes.bin runs.');
  await dialog.getByLabel('Your email address').fill('not an address');
  await dialog.getByRole('button', { name: 'Send Report' }).click();
  await expect(dialog.getByLabel('Your email address')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Your email address').fill('rex@example.org');
  await dialog.getByRole('button', { name: 'Send Report' }).click();
  await expectToast(page, 'Report sent', 'Thank you. We will look at this transfer.');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Report abuse' })).toBeFocused();
  const report = server.withDatabase((database) =>
    database.prepare('SELECT reason, details FROM abuseReports WHERE transferId = ?').get(id),
  );
  expect({ ...report }).toEqual({ reason: 'malware', details: 'notes.bin runs.' });
});

test('a damaged file is shown and cannot be chosen', { tag: '@all' }, async ({
  server,
  member,
  visitorPage: page,
}) => {
  const { id, token, fileIds } = await sendTransfer(member.client, FILES);
  await waitForChecksums(server, id);
  server.withDatabase((database) =>
    database.prepare('UPDATE files SET damagedAt = 1 WHERE id = ?').run(fileIds[1]!),
  );
  await page.goto(sharePath(token));
  await expect(page.getByText('Damaged. Ask the sender to send it again.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'notes.bin' })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Select notes.bin' })).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await expect(page.getByRole('button', { name: 'Download 1 file (9 B)' })).toBeVisible();
});

test('the page fits every width from 320 px without horizontal scrolling', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const longName = `${'a-name-without-any-end-'.repeat(6)}.bin`;
  const { token } = await sendTransfer(
    member.client,
    [...FILES, { fileName: longName, bytes: Buffer.alloc(900_000) }],
    { title: 'Unterwasserfotografiewettbewerbsergebnisse', message: 'x'.repeat(400) },
  );
  await page.goto(sharePath(token));
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByText('More ways to download').click();
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflowOf(page), `${width} px`).toBe(0);
    // The frame clips overflowing content.
    const { x, width: buttonWidth } = (await page
      .getByRole('button', { name: /^Download 3 files/ })
      .boundingBox())!;
    expect(x + buttonWidth, `${width} px`).toBeLessThanOrEqual(width);
  }
  await expectAccessible(page, 'everything chosen');
});

/** The background job has processed every file. */
async function waitForChecksums(server: JourneyServer, transferId: string): Promise<void> {
  const countMissing = () =>
    server.withDatabase((database) =>
      database
        .prepare('SELECT count(*) AS missing FROM files WHERE transferId = ? AND sha256 IS NULL')
        .get(transferId),
    );
  await expect.poll(() => countMissing()?.missing).toBe(0);
}

/** Shows the view as before the job ran. Returns a function that ends this. */
async function hideChecksums(page: Page, token: string): Promise<() => Promise<void>> {
  const calls = (url: URL) => url.pathname === `/api/download/${token}`;
  await page.route(calls, async (route) => {
    const response = await route.fetch();
    const view = (await response.json()) as DownloadView;
    const files = view.files?.map((file) => ({ ...file, sha256: null }));
    await route.fulfill({ response, json: { ...view, files } });
  });
  return () => page.unroute(calls);
}

async function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
