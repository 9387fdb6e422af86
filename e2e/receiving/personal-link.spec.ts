import type { Page } from '@playwright/test';
import { getTransfer, type Recipient } from '../../contracts/transfers/transfers.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect, test } from '../actions/fixtures.ts';
import { findMailedLink, inventPerson, type Member } from '../actions/people.ts';
import { readDownload } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

const FILES = [
  { fileName: 'rushes.mov', bytes: Buffer.from('scene one') },
  { fileName: 'notes.txt', bytes: Buffer.from('take two') },
];

test('a recipient’s personal link shows the sender who opened and who downloaded', { tag: '@all' }, async ({
  server,
  member,
  memberPage: sender,
  visitorPage: rexPage,
}) => {
  const [rex, rosa] = [inventPerson(), inventPerson()];
  const recipientEmails = [rex.email, rosa.email];
  const { id } = await sendTransfer(member.client, FILES, { title: 'Rushes', recipientEmails });
  const link = await findMailedLink(server, rex.email);
  const state = () => describeRecipients(member, id, [rex.email, rosa.email]);
  expect(await state()).toEqual(['not opened', 'not opened']);

  await test.step('the sender who tries the link is nobody’s visit', async () => {
    await sender.goto(link);
    await expect(sender.getByRole('heading', { name: 'Rushes' })).toBeVisible();
    expect(await state()).toEqual(['not opened', 'not opened']);
  });

  await test.step('the recipient opens it', async () => {
    await rexPage.goto(link);
    await expect(rexPage.getByRole('heading', { name: 'Rushes' })).toBeVisible();
    expect(await state()).toEqual(['opened', 'not opened']);
  });

  await test.step('every way to download carries the recipient’s token', async () => {
    const { search } = new URL(link);
    await expect(rexPage.getByRole('link', { name: 'notes.txt' })).toHaveAttribute(
      'href',
      new RegExp(`/file/[0-9a-z]{26}\\${search}$`),
    );
    await rexPage.getByText('More ways to download').click();
    await expect(rexPage.locator('pre').first()).toContainText(`/all${search}'`);
  });

  await test.step('and downloads', async () => {
    const [download] = await Promise.all([
      rexPage.waitForEvent('download'),
      rexPage.getByRole('link', { name: 'notes.txt' }).click(),
    ]);
    await expectToast(rexPage, 'Download started');
    expect((await readDownload(download)).equals(FILES[1]!.bytes)).toBe(true);
    await expect.poll(state).toEqual(['downloaded', 'not opened']);
  });
});

test('a link with an unknown recipient token works like the plain one', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const { token } = await sendTransfer(member.client, FILES, { title: 'Rushes' });
  for (const r of ['0'.repeat(26), '', '"><script>alert(1)</script>', `x'y&z#`]) {
    await page.goto(`/download/${token}?r=${encodeURIComponent(r)}`);
    await expect(page.getByRole('heading', { name: 'Rushes' })).toBeVisible();
  }
  await downloadAll(page);
});

async function downloadAll(page: Page): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download All Files' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Rushes.zip');
}

/** The status of each recipient in the transfer's detail. */
async function describeRecipients({ client }: Member, id: string, emails: string[]): Promise<string[]> {
  const { recipients } = await client.call(getTransfer, { params: { id } });
  return emails.map((email) => describeRecipient(recipients.find((each) => each.email === email)!));
}

function describeRecipient({ openedAt, downloadedAt }: Recipient): string {
  if (downloadedAt !== null) return 'downloaded';
  return openedAt === null ? 'not opened' : 'opened';
}
