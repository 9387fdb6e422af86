import { sharePath } from '../../contracts/values/addresses/links.ts';
import { transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const FILES = [
  { fileName: 'invoice.txt', bytes: Buffer.from('Pay here') },
  { fileName: 'terms.txt', bytes: Buffer.from('At once') },
];

test.describe.configure({ timeout: 120_000 });

test('a transfer that was taken down says so, and its sender sees why', {
  tag: '@all',
}, async ({ server, member, memberPage: sender, visitorPage: recipient }) => {
  const { id, token } = await sendTransfer(member.client, FILES, { title: 'Last reminder' });
  await recipient.goto(sharePath(token));
  await expect(recipient.getByRole('heading', { name: 'Last reminder' })).toBeVisible();
  takeDown(server, id);

  // The open page notices with its next request.
  await recipient.getByRole('link', { name: 'invoice.txt' }).click();
  await recipient.reload();
  const card = recipient.getByRole('heading', { name: 'Transfer Taken Down' });
  await expect(card).toBeVisible();
  await expect(recipient.getByText('Its sender can tell you more.')).toBeVisible();
  for (const hidden of ['Last reminder', 'invoice.txt', 'Report abuse'])
    await expect(recipient.getByText(hidden)).toHaveCount(0);
  await expectAccessible(recipient, 'taken down');

  await sender.goto('/dashboard');
  await expect(sender.getByRole('article', { name: 'Last reminder' })).toContainText('Taken down');
  await expectAccessible(sender, 'list with a transfer that was taken down');
  await sender.goto(transferPage(id));
  await expect(sender.getByText('An administrator closed this transfer')).toBeVisible();
  await expect(sender.getByText('invoice.txt').first()).toBeVisible();
  await expectAccessible(sender, 'detail of a transfer that was taken down');
});

function takeDown(server: JourneyServer, transferId: string): void {
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET takenDownAt = 1 WHERE id = ?').run(transferId),
  );
}
