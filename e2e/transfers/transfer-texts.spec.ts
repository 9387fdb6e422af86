import { encodeSelection } from '../../contracts/transfers/downloads/selection.ts';
import { resendTransfer } from '../../contracts/transfers/transfers.ts';
import { selectionDownloadPath } from '../../contracts/values/addresses/links.ts';
import { transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { findMailedLink, inventPerson } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

// The exact texts of the specification for My Transfers and the detail page.

const NOTE = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];

test('Download Activity names zips of selected files and the recipient of a personal link', {
  tag: '@all',
}, async ({ member, memberPage: page, server }) => {
  const { email } = inventPerson();
  const files = ['a.txt', 'b.txt', 'c.txt'].map((fileName) => ({ fileName, bytes: Buffer.from(fileName) }));
  const settings = { title: 'Letters', recipientEmails: [email] };
  const { id, token } = await sendTransfer(member.client, files, settings);
  const { search } = new URL(await findMailedLink(server, email));
  const selection = selectionDownloadPath(token, encodeSelection([0, 2]));
  await (await server.anonymous().fetch(selection + search)).arrayBuffer();
  await page.goto(transferPage(id));
  const download = page.getByRole('list', { name: 'Recent downloads' }).getByRole('listitem').first();
  await expect(download).toContainText('2 of 3 files');
  await expect(download).toContainText(email);
});

test('an unknown transfer shows “Transfer not found” with a link back', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto(transferPage('nosuchtransfernosuchtransf'));
  await expect(page.getByRole('heading', { name: 'Transfer not found' })).toBeVisible();
  await expectAccessible(page, 'a transfer that is not there');
  await page.getByRole('link', { name: 'Back to My Transfers' }).click();
  await expect(page).toHaveURL('/dashboard');
});

test.describe('resending', () => {
  const recipientEmails = ['rex@example.org', 'vera@example.org'];

  test('a resent email is reported (“Email sent!”)', { tag: '@all' }, async ({
    member,
    memberPage: page,
  }) => {
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

  test('the state of an email is shown and refreshed only on request', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    const { id } = await sendTransfer(member.client, NOTE, { recipientEmails: ['rex@example.org'] });
    await page.goto(transferPage(id));
    const row = page.getByRole('row').filter({ hasText: 'rex@example.org' });
    await expect(row).toContainText('Queued');
    // Without a mail server, the email fails once and is kept; then only this test changes it.
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
