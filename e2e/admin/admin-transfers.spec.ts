import { reportTransfer } from '../../contracts/transfers/downloads/downloads.ts';
import { deleteTransfer } from '../../contracts/transfers/transfers.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { confirm, openAsAdmin, readRow, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, createMember } from '../actions/people.ts';
import { seedTransfers } from '../actions/transfers.ts';
import { expectToast } from '../actions/uploads.ts';

test.describe.configure({ timeout: 180_000 });

test('transfers are searched and filtered by owner, state and size', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const owner = await createMember(server, 'pro');
  seedTransfers(server, owner, 30);
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminTransfers);
  const rows = page.getByRole('table', { name: 'Transfers' }).locator('tbody').getByRole('row');
  await page.getByLabel('Owner', { exact: true }).fill(owner.username);
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(30);
  await page.getByLabel('State', { exact: true }).selectOption('expired');
  await expect(rows).toHaveCount(6);
  await page.getByLabel('State', { exact: true }).selectOption('active');
  await expect(rows).toHaveCount(24);
  await page.getByLabel('Smallest size').fill('10 kilos');
  await page.keyboard.press('Enter');
  await expect(page.getByText('A size like 10MB or 5GB')).toBeVisible();
  await page.getByLabel('Smallest size').fill('21KB');
  await page.getByLabel('Largest size').fill('24KB');
  await page.keyboard.press('Enter');
  // 21 to 24; none of them has expired.
  await expect(rows).toHaveCount(4);
  await page.getByLabel('Sort').selectOption('size');
  await expect(rows.first()).toContainText('Parcel 24');
  await page.getByRole('textbox', { name: 'Search transfers' }).fill('nothing like it');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByLabel('Owner', { exact: true })).toHaveValue('');
});

test('a single transfer is extended by 7 days and deleted', { tag: '@all' }, async ({
  context,
  server,
  member,
}) => {
  const { id } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }], {
    title: 'The note',
    expirationDays: 2,
  });
  const page = await openAsAdmin(context, await createAdmin(server));
  const expiry = () =>
    Number(readRow(server, 'SELECT "expiresAt" FROM transfers WHERE id = ?', id)?.expiresAt);
  const before = expiry();
  await page.goto(`${PAGES.adminTransfers}?owner=${member.username}`);
  await page.getByRole('button', { name: '+7d: extend The note' }).click();
  await expectToast(page, 'Transfer extended');
  await expect(row(page, 'Transfers', 'The note')).toContainText('in 9 days');
  expect(expiry()).toBe(before + 7 * DAY_MS);
  await page.getByRole('checkbox', { name: 'Select The note' }).check();
  await page
    .getByRole('region', { name: 'Selected transfers' })
    .getByRole('button', { name: 'Extend' })
    .click();
  const form = page.getByRole('form', { name: 'Extend transfers' });
  await form.getByLabel('Days').fill('91');
  await form.getByRole('button', { name: 'Extend' }).click();
  await expectAccessible(page, 'extending, with a mistake');
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete The note' }).click();
  await expectAccessible(page, 'the question before deleting');
  await page.setViewportSize({ width: 1280, height: 800 });
  await confirm(page, 'Delete transfer');
  await expectToast(page, 'Transfer deleted', 'The transfer and all associated files have been deleted.');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
});

test('a selection of transfers spans pages and is extended or deleted together', {
  tag: '@all',
}, async ({ context, server }) => {
  const owner = await createMember(server, 'pro');
  seedTransfers(server, owner, 120);
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(`${PAGES.adminTransfers}?owner=${owner.username}`);
  const bar = page.getByRole('region', { name: 'Selected transfers' });
  const next = page.getByRole('button', { name: 'Next' });
  await page.getByRole('checkbox', { name: 'Select Parcel 1', exact: true }).check();
  await expect(bar).toContainText('1 selected');
  await next.click();
  await expect(row(page, 'Transfers', 'Parcel 51')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await expect(bar).toContainText('51 selected');
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(page.getByRole('checkbox', { name: 'Select Parcel 1', exact: true })).toBeChecked();
  await expectAccessible(page, 'a selection');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });

  await bar.getByRole('button', { name: 'Extend' }).click();
  const form = page.getByRole('form', { name: 'Extend transfers' });
  // 7 days by default.
  await expect(form.getByLabel('Days')).toHaveValue('7');
  await form.getByLabel('Days').fill('91');
  await form.getByRole('button', { name: 'Extend' }).click();
  await expect(form.getByText('Please enter 1 to 90 days')).toBeVisible();
  await form.getByLabel('Days').fill('10');
  await form.getByRole('button', { name: 'Extend' }).click();
  await expectToast(page, 'Transfers extended', '51 transfers expire 10 days later.');
  await expect(bar).toHaveCount(0);
  await expect(row(page, 'Transfers', /^Parcel 1 ?[^0-9]/).first()).toContainText('in 11 days');

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await next.click();
  await page.getByRole('checkbox', { name: 'Select Parcel 60', exact: true }).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete 51 transfers');
  await expectToast(page, 'Transfers deleted', '51 transfers and all associated files have been deleted.');
  await expect(bar).toHaveCount(0);
  await page.reload();
  await expect(row(page, 'Transfers', 'Parcel 51')).toBeVisible();
  await expect(row(page, 'Transfers', 'Parcel 60')).toHaveCount(0);
});

test('a report is dismissed, or its transfer is taken down and later reopened', { tag: '@all' }, async ({
  context,
  server,
  member,
  visitorPage,
}) => {
  const send = (title: string) =>
    sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }], { title });
  const [harmless, harmful] = [await send('A harmless note'), await send('A harmful note')];
  for (const { token } of [harmless, harmful])
    await server.anonymous().call(reportTransfer, {
      params: { token },
      body: { reason: 'phishing', details: 'It asks for my password.' },
    });
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminDashboard);
  await page.getByRole('link', { name: /open reports?$/ }).click();
  const report = (title: string) =>
    page.getByRole('list', { name: 'Reports' }).getByRole('listitem').filter({ hasText: title });
  await expect(report('A harmful note')).toContainText('It asks for my password.');
  await expectAccessible(page, 'reports');
  await page.setViewportSize({ width: 1280, height: 800 });
  await report('A harmless note').getByRole('button', { name: 'Dismiss' }).click();
  await expectToast(page, 'Report dismissed');
  await expect(report('A harmless note')).toContainText('Settled');
  await report('A harmful note').getByRole('button', { name: 'Take down' }).click();
  await confirm(page, 'Take down');
  await expectToast(page, 'Transfer taken down');
  await expect(report('A harmful note')).toContainText('Taken down');

  const status = async (token: string) => (await server.anonymous().fetch(`/api/download/${token}`)).status;
  expect([await status(harmless.token), await status(harmful.token)]).toEqual([200, 410]);
  await visitorPage.goto(sharePath(harmful.token));
  await expect(visitorPage.getByText('was taken down because it was reported')).toBeVisible();

  await page.goto(`${PAGES.adminTransfers}?owner=${member.username}&state=taken-down`);
  await page.getByRole('button', { name: 'Reopen A harmful note' }).click();
  await confirm(page, 'Reopen');
  await expectToast(page, 'Transfer reopened');
  expect(await status(harmful.token)).toBe(200);
});

test('a transfer can be looked up by its link even after its owner deleted it', { tag: '@all' }, async ({
  context,
  server,
  member,
}) => {
  const sent = await sendTransfer(member.client, [{ fileName: 'a.txt', bytes: Buffer.from('hello') }]);
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto(PAGES.adminTransfers);
  await page.getByRole('link', { name: 'Look up' }).click();
  const field = page.getByLabel('Look up a transfer or upload');
  const result = page.getByRole('region', { name: 'Result' });
  await field.fill(server.url + sharePath(sent.token));
  await expect(result).toContainText('Online');
  await member.client.call(deleteTransfer, { params: { id: sent.id } });
  await field.fill(sent.id);
  await expect(result).toContainText('Deleted by its owner');
  await expectAccessible(page, 'look-up');
  await field.fill('nothing');
  await expect(result).toContainText('Not found');
});
