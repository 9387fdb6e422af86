import { sharePath, transferPath } from '../../contracts/values/addresses/links.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';

test('a visitor of a used-up link asks the sender, who raises the limit, and the link works again', {
  tag: '@all',
}, async ({ server, member, memberPage: sender, visitorPage: visitor }) => {
  const files = [{ fileName: 'ticket.txt', bytes: Buffer.from('Admit one') }];
  const { id, token } = await sendTransfer(member.client, files, { title: 'Your ticket', maxDownloads: 1 });
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET downloadCount = 1 WHERE id = ?').run(id),
  );

  await test.step('the visitor asks', async () => {
    await visitor.goto(sharePath(token));
    await expect(visitor.getByText('Download limit reached.')).toBeVisible();
    await visitor.getByRole('button', { name: 'Ask the sender to reopen' }).click();
    const dialog = visitor.getByRole('dialog', { name: 'Ask the sender to reopen' });
    await dialog.getByLabel('Note').fill('Rex here, I was on a train.');
    await expectAccessible(visitor, 'asking to reopen');
    await dialog.getByRole('button', { name: 'Send Request' }).click();
    await expect(visitor.getByText('Request sent.')).toBeVisible();
  });

  await test.step('the sender is mailed and raises the limit', async () => {
    const mail = server.withDatabase((database) =>
      database
        .prepare("SELECT text FROM mails WHERE recipient = ? AND kind = 'reopen-request'")
        .get(member.email),
    );
    expect(String(mail?.text)).toContain('Rex here, I was on a train.');
    expect(String(mail?.text)).toContain(transferPath(id));
    await sender.goto(transferPath(id));
    await expect(sender.getByText('Limit reached', { exact: true })).toBeVisible();
    await sender.getByRole('button', { name: 'Edit' }).click();
    const form = sender.getByRole('form', { name: 'Edit transfer' });
    await form.getByLabel('Download limit').fill('2');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectToast(sender, 'Changes saved');
  });

  await test.step('the link works again', async () => {
    await visitor.reload();
    await expect(visitor.getByRole('button', { name: /^Download/ }).first()).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Ask the sender to reopen' })).toHaveCount(0);
  });
});
