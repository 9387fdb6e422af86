import { resendTransfer } from '../../contracts/transfers/transfers.ts';
import { unsubscribePath } from '../../contracts/values/addresses/links.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { inventPerson } from '../actions/people.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

const FILES = [{ fileName: 'letter.txt', bytes: Buffer.from('Dear Rex') }];

test('a recipient unsubscribes and subscribes again, and the sender sees why an email was not sent', {
  tag: '@all',
}, async ({ server, member, visitorPage: page }) => {
  const { email } = inventPerson();
  const { id } = await sendTransfer(member.client, FILES, { recipientEmails: [email] });
  const token = readToken(server, email);

  await page.goto(unsubscribePath(token));
  await expect(page.getByRole('heading', { name: 'Stop emails with transfers?' })).toBeVisible();
  await expect(page.getByText(`We currently send them to ${email}.`)).toBeVisible();
  await expectAccessible(page, 'unsubscribe, asking');
  // Opening the page alone changes nothing.
  await page.reload();
  await page.getByRole('button', { name: 'Unsubscribe' }).press('Enter');

  await expect(
    page.getByRole('heading', { name: "You won't get emails with transfers anymore" }),
  ).toBeVisible();
  const news = page.getByRole('status').filter({ hasText: "You won't get emails with transfers anymore" });
  await expect(news).toBeAttached();
  await expectAccessible(page, 'unsubscribe, ended');
  await page.reload();
  // The focused button is replaced by Undo.
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Unsubscribe' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();

  await member.client.call(resendTransfer, { params: { id }, body: { recipientEmails: [email] } });
  const dropped = { state: 'dropped', lastError: `${email} has opted out of emails from Sendwell.` };
  await expect.poll(() => readMails(server, email)).toEqual([dropped, dropped]);
});

test('an incomplete link shows an explanation', { tag: '@all' }, async ({ visitorPage: page }) => {
  await page.goto(unsubscribePath('x'.repeat(60)));
  await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible();
  await expectAccessible(page, 'unsubscribe, void');
});

test('the page can be retried if the server does not respond', { tag: '@all' }, async ({
  visitorPage: page,
}) => {
  await page.route('/api/unsubscribe/*', (route) => route.abort());
  await page.goto(unsubscribePath('x'.repeat(60)));
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await page.unroute('/api/unsubscribe/*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible();
});

function readToken(server: JourneyServer, email: string): string {
  const row = server.withDatabase((database) =>
    database.prepare('SELECT unsubscribeToken FROM mails WHERE recipient = ?').get(email),
  );
  return String(row?.unsubscribeToken);
}

function readMails(server: JourneyServer, email: string) {
  const rows = server.withDatabase((database) =>
    database.prepare('SELECT state, lastError FROM mails WHERE recipient = ?').all(email),
  );
  return rows.map((row) => ({ ...row }));
}
