import { expect, test } from 'vitest';
import { reportTransfer } from '../../../../contracts/transfers/downloads/downloads.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { PAGES, transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin, createMember } from '../../../../e2e/actions/people.ts';
import { type SentTransfer, sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import {
  expectToast,
  fill,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

// The test server has no scanner; tests write its findings into the database.

test('recipients see that a transfer is being checked', async () => {
  const member = await createMember(server, 'pro');
  const sent = await sendTransfer(member.client, [file('notes.txt')], { title: 'Notes' });
  insertHeldFile(sent, 'checking', 'waiting');
  renderPage(sharePath(sent.token));
  await screen.findByRole('heading', { name: 'Checking files' });
  screen.getByText('This transfer is being checked for malware before you can download it.');
});

test('the sender sees that a transfer is being checked', async () => {
  const member = await createMember(server, 'pro');
  const sent = await sendTransfer(member.client, [file('notes.txt')], { title: 'Notes' });
  insertHeldFile(sent, 'checking', 'waiting');
  const user = renderPage('/dashboard', { as: member });
  const card = await screen.findByRole('article', { name: 'Notes' });
  within(card).getByText('Checking');
  await user.click(within(card).getByRole('link', { name: 'View Details' }));
  await screen.findByText(/emails to recipients wait/);
});

test('an infected file: a block page for recipients, the file and what to do for the sender', async () => {
  const member = await createMember(server, 'pro');
  const sent = await sendTransfer(member.client, [file('invoice.exe')]);
  insertHeldFile(sent, 'blocked', 'infected', 'Eicar-Signature');
  renderPage(transferPage(sent.id), { as: member });
  await screen.findByText('Blocked');
  const note = screen.getByText(/Nobody can download this transfer because of this file/);
  expect(note.textContent).toContain('invoice.exe: malware found (Eicar-Signature)');
});

test('recipients of a blocked transfer see that it is blocked', async () => {
  const member = await createMember(server, 'pro');
  const sent = await sendTransfer(member.client, [file('invoice.exe')]);
  insertHeldFile(sent, 'blocked', 'infected', 'Eicar-Signature');
  renderPage(sharePath(sent.token));
  await screen.findByRole('heading', { name: 'Transfer Blocked' });
});

test('an administrator releases a file with a reason', async () => {
  const member = await createMember(server, 'pro');
  const sent = await sendTransfer(member.client, [file('tool.exe')], { title: 'Tool' });
  insertHeldFile(sent, 'blocked', 'infected', 'Win.Tool.Released');
  const user = renderPage(`${PAGES.adminTransfers}?tab=held`, { as: await createAdmin(server) });
  const row = (await screen.findByText('Win.Tool.Released')).closest('li, tr') as HTMLElement;
  await user.click(within(row).getByRole('button', { name: 'Release' }));
  const dialog = await screen.findByRole('dialog', { name: 'Release this file?' });
  await user.click(within(dialog).getByRole('button', { name: 'Release file' }));
  await within(dialog).findByText('Please enter a reason');
  await fill(user, within(dialog).getByLabelText('Reason'), 'The vendor confirmed it is clean');
  await user.click(within(dialog).getByRole('button', { name: 'Release file' }));
  await expectToast('File released');
  await waitFor(() => expect(screen.queryByText('Win.Tool.Released')).toBeNull());
});

test('from a report an administrator blocks a file everywhere, and allows it again', async () => {
  const member = await createMember(server, 'pro');
  const admin = await createAdmin(server);
  const sent = await sendTransfer(member.client, [file('book.pdf'), file('cover.png')], { title: 'My book' });
  const body = { reason: 'copyright', details: 'Details of this report' };
  await member.client.call(reportTransfer, { params: { token: sent.token }, body });
  await waitFor(() => expect(countUnknownSums(sent)).toBe(0));
  const user = renderPage(`${PAGES.adminTransfers}?tab=reports&reports=open`, { as: admin });
  const card = (await screen.findByText('My book')).closest('li') as HTMLElement;
  await user.click(within(card).getByRole('button', { name: 'Block a file everywhere' }));
  const dialog = await screen.findByRole('dialog', { name: 'Block a file everywhere?' });
  await fill(user, await within(dialog).findByLabelText('Reason'), 'Report of the author');
  await user.click(within(dialog).getByRole('button', { name: 'Block everywhere' }));
  await within(dialog).findByText('Please choose a file');
  await user.click(within(dialog).getByRole('radio', { name: /book\.pdf/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Block everywhere' }));
  await expectToast('Content blocked');

  await user.click(screen.getByRole('link', { name: 'Held files' }));
  await user.selectOptions(await screen.findByLabelText('Which files'), 'Blocked contents');
  const row = (await screen.findByText('Report of the author')).closest('li, tr') as HTMLElement;
  await user.click(within(row).getByRole('button', { name: 'Allow again' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Allow again' }));
  await expectToast('Content allowed again');
});

const file = (fileName: string) => ({ fileName, bytes: Buffer.from(`${fileName} ${Math.random()}`) });

/** Holds the transfer's first file as the scanner would. */
function insertHeldFile(
  sent: SentTransfer,
  scanState: string,
  state: string,
  finding: string | null = null,
): void {
  const now = Date.now();
  server.withDatabase((database) => {
    database
      .prepare(
        `INSERT INTO "heldFiles" ("fileId", "transferId", "userId", state, finding, "createdAt", "foundAt")
         SELECT ?, id, "userId", ?, ?, ?, ? FROM transfers WHERE id = ?`,
      )
      .run(sent.fileIds[0]!, state, finding, now, now, sent.id);
    database.prepare('UPDATE transfers SET "scanState" = ? WHERE id = ?').run(scanState, sent.id);
  });
}

function countUnknownSums({ id }: SentTransfer): number {
  const row = server.withDatabase((database) =>
    database.prepare('SELECT count(*) AS n FROM files WHERE "transferId" = ? AND sha256 IS NULL').get(id),
  );
  return Number((row as { n: number }).n);
}
