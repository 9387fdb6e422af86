import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { askToReopen } from '../../../../contracts/transfers/downloads/downloads.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import {
  answerOnce,
  fill,
  renderPage,
  resetPage,
  screen,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const BUTTON = 'Ask the sender to reopen';
const FILES = [{ fileName: 'notes.bin', bytes: Buffer.from('take two') }];

test('visitors of an expired link ask the sender with a note, and the request is confirmed', async () => {
  const { id, token } = await send();
  change(id, { expiresAt: Date.now() - DAY_MS });
  const user = renderPage(sharePath(token));
  await screen.findByRole('heading', { name: 'Transfer Expired' });
  const dialog = await openDialog(user);
  await fill(user, within(dialog).getByLabelText(/^Note/), 'Rex here. Please!');
  await user.click(within(dialog).getByRole('button', { name: 'Send Request' }));
  const status = await screen.findByText(/If the sender reopens the transfer, this link works again\./);
  expect(status.textContent).toContain('Request sent.');
  expect(document.activeElement).toBe(status);
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  const mail = server.withDatabase((database) =>
    database.prepare("SELECT text FROM mails WHERE kind = 'reopen-request' AND transferId = ?").get(id),
  );
  expect(String(mail?.text)).toContain('Rex here. Please!');
});

test('visitors of a used-up link can ask, too', async () => {
  const { id, token } = await send(2);
  change(id, { downloadCount: 2 });
  const user = renderPage(sharePath(token));
  await screen.findByText('Download limit reached.');
  const dialog = await openDialog(user);
  await user.click(within(dialog).getByRole('button', { name: 'Send Request' }));
  await screen.findByText('Request sent.');
});

test('a refusal is shown in the dialog, which stays open with the note', async () => {
  const { id, token } = await send();
  change(id, { expiresAt: Date.now() - DAY_MS });
  const user = renderPage(sharePath(token));
  const dialog = await openDialog(user);
  await fill(user, within(dialog).getByLabelText(/^Note/), 'Please!');
  answerOnce(askToReopen, { status: 429, body: 'Too many attempts. Please wait 40 minutes and try again.' });
  await user.click(within(dialog).getByRole('button', { name: 'Send Request' }));
  const alert = await within(dialog).findByRole('alert');
  expect(alert.textContent).toContain('Too many attempts. Please wait 40 minutes and try again.');
  expect(within(dialog).getByLabelText<HTMLTextAreaElement>(/^Note/).value).toBe('Please!');
});

test('transfers that cannot be reopened and open ones do not offer it', async () => {
  const open = await send();
  renderPage(sharePath(open.token));
  await screen.findByRole('heading', { name: 'Rushes' });
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  resetPage();
  change(open.id, { expiresAt: Date.now() - DAY_MS, closedAt: Date.now() });
  renderPage(sharePath(open.token));
  await screen.findByRole('heading', { name: 'Transfer Expired' });
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  resetPage();
  renderPage(sharePath('n'.repeat(26)));
  await screen.findByRole('heading', { name: 'Transfer Not Found' });
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
});

async function send(maxDownloads?: number) {
  const { client } = await createMember(server, 'premium');
  return sendTransfer(client, FILES, { title: 'Rushes', ...(maxDownloads && { maxDownloads }) });
}

function change(id: string, columns: Record<string, number>): void {
  const changes = Object.keys(columns).map((column) => `"${column}" = ?`);
  server.withDatabase((database) =>
    database
      .prepare(`UPDATE transfers SET ${changes.join(', ')} WHERE id = ?`)
      .run(...Object.values(columns), id),
  );
}

async function openDialog(user: UserEvent): Promise<HTMLElement> {
  await user.click(await screen.findByRole('button', { name: BUTTON }));
  const dialog = await screen.findByRole('dialog', { name: BUTTON });
  await waitFor(() => within(dialog).getByRole('button', { name: 'Send Request' }));
  return dialog;
}
