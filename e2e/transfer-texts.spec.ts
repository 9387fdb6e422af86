import { PAGES, transferPage } from '../contracts/pages.ts';
import { listTransfers, resendTransfer } from '../contracts/transfers.ts';
import { sendTransfer } from '../server/testing/send-transfer.ts';
import { expectAccessible } from './accessibility.ts';
import { expect, test } from './fixtures.ts';
import { expectToast } from './upload-actions.ts';

// Each text of specification sections 2 and 8 that belongs to the list and to a single transfer.

const NOTE = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];

test('§2 My Transfers: three placeholder cards while loading', async ({ memberPage: page }) => {
  const gate = Promise.withResolvers<void>();
  await page.route(`**${listTransfers.path}?**`, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto('/dashboard');
  await expect(page.getByTestId('placeholder')).toHaveCount(3);
  await expect(page.getByRole('heading', { name: 'My Transfers' })).toBeVisible();
  await expect(
    page.getByRole('status', { name: '' }).filter({ hasText: 'Loading your transfers' }),
  ).toBeVisible();
  gate.resolve();
  await expect(page.getByTestId('placeholder')).toHaveCount(0);
});

test("§2 My Transfers: empty state 'No transfers yet' with an Upload Files button", async ({
  memberPage: page,
}) => {
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'No transfers yet' })).toBeVisible();
  await expect(page.getByText('Upload your first files to get started')).toBeVisible();
  await expect(page.getByRole('link', { name: 'New Upload' })).toHaveAttribute('href', PAGES.upload);
  await page.getByRole('main').getByRole('link', { name: 'Upload Files' }).click();
  await expect(page).toHaveURL(PAGES.upload);
});

test('§2 My Transfers: a card shows title, files with size, badge, recipients, downloads and its buttons', async ({
  member,
  memberPage: page,
}) => {
  const recipientEmails = ['rex@example.org', 'vera@example.org'];
  const { id } = await sendTransfer(member.client, NOTE, {
    title: 'Letter',
    expirationDays: 2,
    recipientEmails,
  });
  await page.goto('/dashboard');
  const card = page.getByRole('article', { name: 'Letter' });
  await expect(card).toContainText('1 file · 4 B');
  await expect(card).toContainText('Expires in 2 days');
  await expect(card).toContainText('rex@example.org, vera@example.org');
  await expect(card).toContainText('0 downloads');
  await expect(card.getByRole('button', { name: 'Copy Link' })).toBeVisible();
  await expect(card.getByRole('button', { name: 'Delete' })).toBeVisible();
  await card.getByRole('link', { name: 'View Details' }).click();
  await expect(page).toHaveURL(transferPage(id));
});

test('§2 Transfer detail: everything that is known of a transfer', async ({ member, memberPage: page }) => {
  const settings = { title: 'Letter', message: 'For you', recipientEmails: ['rex@example.org'] };
  const { id } = await sendTransfer(member.client, NOTE, settings);
  await page.goto(transferPage(id));
  await expect(page.getByRole('heading', { name: 'Letter' })).toBeVisible();
  await expect(page.getByText(/^Created /)).toBeVisible();
  await expect(page.getByText('Expires in 90 days')).toBeVisible();
  for (const label of ['Total size', 'Total downloads', 'File', /^Expires at/])
    await expect(page.getByRole('term').filter({ hasText: label }).first()).toBeVisible();
  await expect(page.getByText('For you')).toBeVisible();
  await expect(page.getByRole('table').getByRole('rowheader', { name: 'rex@example.org' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy Share Link' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Files' })).toContainText('0 downloads');
  await expect(page.getByRole('heading', { name: 'Download Activity' })).toBeVisible();
});

test('§2 Download Activity: the 10 most recent downloads with date, time and address', async ({
  member,
  memberPage: page,
  server,
}) => {
  const { id, token, fileIds } = await sendTransfer(member.client, NOTE, { title: 'Letter' });
  for (let each = 0; each < 12; each += 1)
    await server.anonymous().fetch(`/api/download/${token}/file/${fileIds[0]}`);
  await page.goto(transferPage(id));
  const downloads = page.getByRole('list', { name: 'Recent downloads' }).getByRole('listitem');
  await expect(downloads).toHaveCount(10);
  await expect(downloads.first()).toContainText('127.0.0.1');
  await expect(downloads.first()).toContainText(/\d{4}, \d{1,2}:\d{2}/);
  await expect(page.getByText('The 10 most recent of 12')).toBeVisible();
});

test("§2 Transfer detail: 'Transfer not found' with a way back", async ({ memberPage: page }) => {
  await page.goto(transferPage('nosuchtransfernosuchtransf'));
  await expect(page.getByRole('heading', { name: 'Transfer not found' })).toBeVisible();
  await expectAccessible(page, 'a transfer that is not there');
  await page.getByRole('link', { name: 'Back to My Transfers' }).click();
  await expect(page).toHaveURL('/dashboard');
});

test("§8 Toast: copy link on the list ('Link copied!')", async ({ member, memberPage: page }) => {
  const { token } = await sendTransfer(member.client, NOTE);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Copy Link' }).click();
  await expectToast(page, 'Link copied!', 'Share link has been copied to clipboard.');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(`/download/${token}`);
});

test('a copied link begins with the public address that the server wrote into the page', async ({
  member,
  memberPage: page,
}) => {
  const { token } = await sendTransfer(member.client, NOTE);
  await page.route('**/dashboard', async (route) => {
    const response = await route.fetch();
    const meta = '<meta name="public-url" content="https://files.example.org">';
    const body = (await response.text()).replace('</head>', `${meta}</head>`);
    await route.fulfill({ response, body });
  });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Copy Link' }).click();
  await expectToast(page, 'Link copied!', 'Share link has been copied to clipboard.');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
    `https://files.example.org/download/${token}`,
  );
});

test("§8 Toast: copy link on the detail page ('Link copied!')", async ({ member, memberPage: page }) => {
  const { id, token } = await sendTransfer(member.client, NOTE);
  await page.goto(transferPage(id));
  await page.getByRole('button', { name: 'Copy Share Link' }).click();
  await expectToast(page, 'Link copied!', 'Share link has been copied to clipboard.');
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(`/download/${token}`);
});

test('§8 Toast: transfer delete success', async ({ member, memberPage: page }) => {
  await sendTransfer(member.client, NOTE);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('This cannot be undone.');
  await question.getByRole('button', { name: 'Delete transfer' }).click();
  await expectToast(page, 'Transfer deleted', 'The transfer and all associated files have been deleted.');
  await expect(page.getByText('No transfers yet')).toBeVisible();
});

test('§8 Toast: transfer delete failure', async ({ member, memberPage: page }) => {
  const { id } = await sendTransfer(member.client, NOTE, { title: 'Letter' });
  await page.goto(transferPage(id));
  await page.route(`**/api/transfers/${id}`, (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 503 }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete transfer' }).click();
  await expectToast(page, 'Error', 'Failed to delete transfer.');
  await expect(page.getByRole('heading', { name: 'Letter' })).toBeVisible();
});

test.describe('resending', () => {
  const recipientEmails = ['rex@example.org', 'vera@example.org'];

  test("§8 Toast: resend success ('Email sent!')", async ({ member, memberPage: page }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails });
    await page.goto(transferPage(id));
    await page.getByRole('button', { name: 'Resend Email' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend Email' });
    await expectAccessible(page, 'the resend dialog');
    await dialog.getByRole('checkbox', { name: 'vera@example.org' }).uncheck();
    await dialog.getByLabel('Other addresses').fill('paula@example.org');
    const sent = page.waitForRequest(`**${resendTransfer.path.replace(':id', id)}`);
    await dialog.getByRole('button', { name: 'Send Email' }).click();
    expect((await sent).postDataJSON()).toEqual({
      recipientEmails: ['rex@example.org', 'paula@example.org'],
    });
    await expectToast(page, 'Email sent!');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('table').getByRole('rowheader', { name: 'rex@example.org' })).toBeVisible();
  });

  test("§8 Toast: resend to one, from the recipients' table", async ({ member, memberPage: page }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails });
    await page.goto(transferPage(id));
    const row = page.getByRole('row').filter({ hasText: 'vera@example.org' });
    await expect(row).toContainText('Queued');
    const sent = page.waitForRequest(`**${resendTransfer.path.replace(':id', id)}`);
    await row.getByRole('button', { name: 'Send again to vera@example.org' }).click();
    expect((await sent).postDataJSON()).toEqual({ recipientEmails: ['vera@example.org'] });
    await expectToast(page, 'Email sent!');
  });

  test("§8 Toast: resend failure ('Failed to send email'), with the wait that the server asks for", async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails });
    const detail = 'Too many tries. Please wait 2 minutes and try again.';
    await page.route(`**${resendTransfer.path.replace(':id', id)}`, (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '120', 'content-type': 'application/problem+json' },
        body: JSON.stringify({ code: 'too_many_requests', status: 429, detail }),
      }),
    );
    await page.goto(transferPage(id));
    await page.getByRole('button', { name: 'Resend Email' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend Email' });
    await dialog.getByRole('button', { name: 'Send Email' }).click();
    await expectToast(page, 'Failed to send email', 'Please try again later.');
    await expect(dialog.getByRole('alert')).toContainText(detail);
    await expect(dialog.getByRole('button', { name: /^Send in [12]:\d\d$/ })).toBeVisible();
  });

  test('§5 Recipients: the send button is disabled while the list is empty', async ({
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails });
    await page.goto(transferPage(id));
    await page.getByRole('button', { name: 'Resend Email' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend Email' });
    const send = dialog.getByRole('button', { name: 'Send Email' });
    await expect(send).toBeEnabled();
    await dialog.getByRole('checkbox', { name: 'All 2 recipients' }).uncheck();
    await expect(send).toBeDisabled();
    await dialog.getByLabel('Other addresses').fill('paula@');
    await expect(send).toBeDisabled();
    await dialog.getByLabel('Other addresses').fill('paula@example.org');
    await expect(send).toBeEnabled();
  });

  test('what became of a mail is shown, and asked for again only by hand', async ({
    server,
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails: ['rex@example.org'] });
    await page.goto(transferPage(id));
    const row = page.getByRole('row').filter({ hasText: 'rex@example.org' });
    await expect(row).toContainText('Queued');
    // Without a mail server it is tried once and kept; then nobody but this test writes to it.
    const readError = () =>
      server.withDatabase((database) =>
        database.prepare('SELECT lastError FROM mails WHERE transferId = ?').get(id),
      )?.lastError;
    await expect.poll(readError).toBe('There is no mail server yet.');
    server.withDatabase((database) =>
      database
        .prepare("UPDATE mails SET state = 'failed', lastError = 'No such mailbox' WHERE transferId = ?")
        .run(id),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(row).toContainText('Failed');
    await expect(row).toContainText('No such mailbox');
  });
});
