import { HOUR_MS } from '../../contracts/values/durations.ts';
import { sendEncryptedTransfer } from '../../testing/uploads/encrypted-transfers.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { row } from '../actions/downloads.ts';
import { openEncrypted } from '../actions/encrypted.ts';
import { expect, test } from '../actions/fixtures.ts';
import { makePicture } from '../actions/sample-files.ts';

const NOTES = { path: 'notes.txt', bytes: Buffer.from('hello'), mimeType: 'text/plain' };

test('the page shows what only the link can decrypt: names, folders, title, message and pictures', async ({
  member,
  visitorPage: page,
}) => {
  const picture = await makePicture('webp', [64, 48], 120);
  const { link } = await sendEncryptedTransfer(
    member.client,
    [
      { path: 'Photos/Coast.jpg', bytes: Buffer.alloc(3_000_000, 1), mimeType: 'image/jpeg', picture },
      NOTES,
      { path: '<b>odd.txt', bytes: Buffer.from('1') },
    ],
    { title: 'Summer in Ålesund', message: 'For you.\n<script>nothing()</script>' },
  );
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await openEncrypted(page, link);
  await expect(page.getByRole('heading', { level: 1, name: 'Summer in Ålesund' })).toBeVisible();
  await expect(page.getByText('<script>nothing()</script>')).toBeVisible();
  await expect(page.getByText(/sent you 3 files · 2\.9 MB/)).toBeVisible();
  await expect(page.getByText('End-to-end encrypted', { exact: true })).toBeVisible();
  await expect(row(page, 'Photos')).toContainText('1 file');
  await expect(row(page, '<b>odd.txt')).toContainText('1 B');
  await expect
    .poll(() => page.evaluate('document.querySelector("li img")?.naturalWidth'), { message: 'a picture' })
    .toBe(64);
  await page.getByRole('button', { name: /^Photos/ }).click();
  await expect(row(page, 'Coast.jpg')).toHaveCount(0);
  await expectAccessible(page, 'an encrypted transfer');
  const key = link.slice(link.indexOf('#') + 1);
  expect(requests.filter((url) => url.includes(key.slice(2)) && !url.includes('#'))).toEqual([]);
});

test('a link without its key, or with a wrong one, asks for it', async ({ member, visitorPage: page }) => {
  const { link, token } = await sendEncryptedTransfer(member.client, [NOTES], { title: 'Plans' });
  await page.goto(`/e/${token}`);
  await expect(page.getByRole('heading', { name: 'Key Required' })).toBeVisible();
  await expectAccessible(page, 'the page that asks for the key');
  const field = page.getByLabel('Key or whole link');
  await field.fill('not a key');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('This is no key');
  await field.fill(`#1.${'A'.repeat(43)}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('does not belong to this transfer');
  await page.getByLabel('Key or whole link').fill(`https://files.example${link}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe(link.slice(link.indexOf('#')));
});

test('a password is part of the key', async ({ member, visitorPage: page }) => {
  const { link } = await sendEncryptedTransfer(member.client, [NOTES], {
    title: 'Plans',
    password: 'correct horse',
  });
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Password Required' })).toBeVisible();
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Unlock Transfer' }).click();
  await expect(page.getByRole('alert')).toContainText('The password is wrong');
  await expectAccessible(page, 'the page that asks for the password');
  await page.getByLabel('Password').fill('correct horse');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  await expect(page.getByText('Password Protected')).toBeVisible();
});

test('a damaged list of files is called damaged, also after the password', async ({
  member,
  visitorPage: page,
}) => {
  const { link, token } = await sendEncryptedTransfer(member.client, [NOTES], { password: 'correct horse' });
  await page.route(`**/api/download/${token}/manifest`, async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    body[body.length - 1]! ^= 1;
    await route.fulfill({ response, body });
  });
  await page.goto(link);
  await page.getByLabel('Password').fill('correct horse');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Transfer Damaged' })).toBeVisible();
});

test('a scheduled transfer opens by itself, also after a request is lost or if the clock of the device is ahead', {
  tag: '@full-browser',
}, async ({ member, server, visitorPage: page }) => {
  const { link, token, id } = await sendEncryptedTransfer(member.client, [NOTES], {
    title: 'Presents',
    settings: { scheduledAvailableAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() },
  });
  await page.clock.install();
  await page.goto(link);
  await expect(page.getByRole('timer', { name: 'Time until the download opens' })).toHaveText(/^0[12]:/);
  const view = `**/api/download/${token}*`;
  let lost = 0;
  await page.route(view, async (route) => {
    lost += 1;
    await route.abort();
  });
  await page.clock.fastForward(2 * HOUR_MS);
  await expect.poll(() => lost).toBe(1);
  await page.clock.runFor(6_000);
  await expect.poll(() => lost).toBe(3);
  await expect(page.getByRole('heading', { name: 'Not available yet' })).toBeVisible();
  await page.unroute(view);
  let answered = 0;
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === `/api/download/${token}`) answered += 1;
  });
  await page.clock.runFor(3_000);
  await expect.poll(() => answered).toBe(1);
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET scheduledAvailableAt = ? WHERE id = ?').run(Date.now() - 1, id),
  );
  await page.clock.runFor(4_000);
  await expect(page.getByRole('heading', { level: 1, name: 'Presents' })).toBeVisible();
});

test('a link whose # became %23 is repaired, and the page says who has seen the key', async ({
  member,
  visitorPage: page,
}) => {
  const { link } = await sendEncryptedTransfer(member.client, [NOTES], { title: 'Plans' });
  await page.goto(link.replace('#', '%23'));
  await expect(page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
  expect(page.url().endsWith(link)).toBe(true);
  await expect(
    page.getByText(/such as a mail gateway, changed this link and has seen its key/),
  ).toBeVisible();
});

test('reports contain the key only if the reporter wants it', async ({
  member,
  server,
  visitorPage: page,
}) => {
  const { link, id } = await sendEncryptedTransfer(member.client, [NOTES], { title: 'Plans' });
  const key = link.slice(link.indexOf('#') + 1);
  const readDetails = () =>
    server.withDatabase((database) =>
      database.prepare('SELECT details FROM abuseReports WHERE transferId = ? ORDER BY createdAt').all(id),
    );
  await openEncrypted(page, link);
  await page.getByRole('button', { name: 'Report abuse' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report this transfer' });
  await dialog.getByLabel('Reason').selectOption({ label: 'It contains malware' });
  await dialog.getByLabel('Details').fill('Look at notes.txt.');
  await dialog.getByRole('button', { name: 'Send Report' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Thank you. We will look at this transfer.')).toBeVisible();
  expect(JSON.stringify(readDetails())).toContain('Look at notes.txt.');
  expect(JSON.stringify(readDetails())).not.toContain(key);
  server.withDatabase((database) =>
    database.prepare('DELETE FROM abuseReports WHERE transferId = ?').run(id),
  );
  await page.reload();
  await page.getByRole('button', { name: 'Report abuse' }).click();
  await dialog.getByLabel('Reason').selectOption({ label: 'It contains malware' });
  await dialog.getByRole('checkbox', { name: /^Send the key, too/ }).check();
  await dialog.getByRole('button', { name: 'Send Report' }).click();
  await expect(dialog).toBeHidden();
  expect(JSON.stringify(readDetails())).toContain(key);
});

test('pages in other languages speak them', { tag: '@all' }, async ({ browser, server, member }) => {
  const { link } = await sendEncryptedTransfer(member.client, [NOTES], { title: 'Pläne' });
  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
  const page = await context.newPage();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Informationen zum Transfer' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await context.close();
});

test('expired and used-up transfers say so and offer to ask the sender', async ({
  member,
  server,
  visitorPage: page,
}) => {
  const { link, id } = await sendEncryptedTransfer(member.client, [NOTES], {
    title: 'Plans',
    settings: { maxDownloads: 1 },
  });
  const change = (column: string, value: number) =>
    server.withDatabase((database) =>
      database.prepare(`UPDATE transfers SET "${column}" = ? WHERE id = ?`).run(value, id),
    );
  change('downloadCount', 1);
  await openEncrypted(page, link);
  await expect(page.getByText('Download limit reached.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Save/ })).toHaveCount(0);
  change('expiresAt', Date.now() - 1000);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Transfer Expired' })).toBeVisible();
  await page.getByRole('button', { name: 'Ask the sender to reopen' }).click();
  await page.getByLabel('Note').fill('Rex here.');
  await page.getByRole('button', { name: 'Send Request' }).click();
  await expect(page.getByText(/^Request sent\./)).toBeVisible();
  await expectAccessible(page, 'an expired encrypted transfer');
});
