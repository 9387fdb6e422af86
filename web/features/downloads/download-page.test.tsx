import { expect, test } from 'vitest';
import {
  downloadFile,
  verifyDownload,
  viewDownload,
} from '../../../contracts/transfers/downloads/downloads.ts';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads/uploads.ts';
import { beginUpdate, planUpdate, publishUpdate } from '../../../contracts/transfers/versions.ts';
import {
  bagDownloadPath,
  sharePath,
  versionDownloadPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { type SentTransfer, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import {
  answerOnce,
  cutOnce,
  expectToast,
  fill,
  holdCall,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

// The exact texts of the specification.

const FILES = [
  { fileName: 'rushes.bin', bytes: Buffer.alloc(1_536, 1) },
  { fileName: 'notes.bin', bytes: Buffer.from('take two') },
];

test('Download: loading skeleton', async () => {
  const { token } = await send({ title: 'Rushes' });
  const release = holdCall(viewDownload);
  renderPage(sharePath(token));
  await screen.findByText('Loading transfer');
  expect(screen.queryByRole('contentinfo')).toBeNull();
  release();
  await screen.findByRole('heading', { name: 'Rushes' });
});

test("Download: 'Transfer Not Found'", async () => {
  renderPage(sharePath('n'.repeat(26)));
  await screen.findByRole('heading', { name: 'Transfer Not Found' });
  screen.getByText('This transfer may have expired or been deleted.');
});

test("Download: 'Password Required' and 'Unlock Transfer'", async () => {
  const { token } = await send({ password: 'sesame' });
  const user = renderPage(sharePath(token));
  await screen.findByRole('heading', { name: 'Password Required' });
  const unlock = screen.getByRole<HTMLButtonElement>('button', { name: 'Unlock Transfer' });
  expect(unlock.disabled).toBe(true);
  await fill(user, screen.getByLabelText('Password'), '  ');
  expect(unlock.disabled).toBe(true);
  await fill(user, screen.getByLabelText('Password'), 'x');
  expect(unlock.disabled).toBe(false);
});

test("Download: 'Transfer Expired'", async () => {
  const { id, token } = await send();
  server.withDatabase((database) =>
    database.prepare('UPDATE transfers SET expiresAt = ? WHERE id = ?').run(Date.now() - DAY_MS, id),
  );
  renderPage(sharePath(token));
  await screen.findByRole('heading', { name: 'Transfer Expired' });
  screen.getByText('This transfer has expired and is no longer available for download.');
});

test('Download: information card with every row and badge', async () => {
  const { token } = await send({
    title: 'Rushes',
    message: 'As promised.',
    password: 'sesame',
    maxDownloads: 3,
    expirationDays: 5,
  });
  const user = renderPage(sharePath(token));
  await fill(user, await screen.findByLabelText('Password'), 'sesame');
  await user.keyboard('{Enter}');
  await screen.findByRole('heading', { name: 'Rushes' });
  expectText('Vera Visitor sent you 2 files · 1.5 KB');
  const card = screen.getByRole('region', { name: 'Transfer Information' });
  for (const text of ['Password Protected', 'Message from sender', 'As promised.', 'Expires in 5 days'])
    within(card).getByText(text);
  const [uploaded, ...others] = rowsOf(card);
  expect(uploaded).toMatch(/^Uploaded\w{3} \d{1,2}, \d{4}$/);
  expect(others).toEqual(['Download Limit0 / 3', 'Total Downloads0']);
  expect(screen.getByRole('contentinfo').textContent).toContain('Sendwell');
});

test('Download: a plain transfer has neither badge, message nor limit', async () => {
  const { token } = await send({}, FILES.slice(0, 1));
  renderPage(sharePath(token));
  const rows = rowsOf(await screen.findByRole('region', { name: 'Transfer Information' }));
  expect(rows).toEqual([expect.stringMatching(/^Uploaded/), 'Total Downloads0']);
  expect(screen.queryByText('Password Protected')).toBeNull();
  expect(screen.queryByText('Message from sender')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Download All Files' })).toBeNull();
  // One of them is in the bottom bar of small windows.
  expect(screen.getAllByRole('button', { name: 'Download' }).length).toBeGreaterThan(0);
});

test('Download: a row shows name, size and count in singular and plural', async () => {
  const { id, token } = await send();
  server.withDatabase((database) =>
    database
      .prepare("UPDATE files SET downloadCount = 1 WHERE transferId = ? AND originalName = 'notes.bin'")
      .run(id),
  );
  renderPage(sharePath(token));
  const list = await screen.findByRole('list', { name: 'Files' });
  const [first, second] = within(list)
    .getAllByRole('listitem')
    .map((each) => each.textContent);
  expect(first).toContain('notes.bin');
  expect(first).toContain('8 B · 1 download');
  expect(first).not.toContain('1 downloads');
  expect(second).toContain('rushes.bin');
  expect(second).toContain('1.5 KB · 0 downloads');
});

test('Toast: Download password wrong', async () => {
  const { token } = await send({ password: 'sesame' });
  const user = renderPage(sharePath(token));
  await fill(user, await screen.findByLabelText('Password'), 'barley');
  await user.keyboard('{Enter}');
  await expectToast('Invalid password', 'Please check your password and try again');
  await fill(user, screen.getByLabelText('Password'), 'sesame');
  await user.click(screen.getByRole('button', { name: 'Unlock Transfer' }));
  await expectToast('Access granted');
});

test('Toast: its title names the cause when a password could not be checked', async () => {
  const { token } = await send({ password: 'sesame' });
  const user = renderPage(sharePath(token));
  const field = await screen.findByLabelText('Password');
  const tryAgain = async () => {
    await fill(user, field, 'sesame');
    await user.click(screen.getByRole('button', { name: 'Unlock Transfer' }));
  };
  cutOnce(verifyDownload);
  await tryAgain();
  await expectToast(
    'No connection',
    'The server could not be reached. Please check your connection and try again.',
  );
  answerOnce(verifyDownload, {
    status: 429,
    body: 'Too many attempts. Please wait 15 minutes and try again.',
  });
  await tryAgain();
  await expectToast('Too many attempts', '429: Too many attempts. Please wait 15 minutes and try again.');
  answerOnce(verifyDownload, { status: 503, body: 'Busy for a moment.' });
  await tryAgain();
  await expectToast('Password could not be checked', '503: Busy for a moment.');
  answerOnce(verifyDownload, { status: 410, body: 'This transfer has expired.' });
  await tryAgain();
  await expectToast('Transfer not available', '410: This transfer has expired.');
  expect(screen.queryByText('Invalid password')).toBeNull();
});

test('Download: an untitled transfer is named by its files', async () => {
  const { token } = await send();
  renderPage(sharePath(token));
  await screen.findByRole('heading', { name: 'rushes.bin + 1' });
  await waitFor(() => expect(document.title).toContain('rushes.bin + 1'));
});

test.each([
  ['locked', { password: 'sesame' }, 'Password Required'],
  ['scheduled', { scheduledAvailableAt: new Date(Date.now() + DAY_MS).toISOString() }, '2 files for you'],
])('Download: a %s transfer names neither sender nor files', async (_, settings, heading) => {
  const { token } = await send(settings);
  renderPage(sharePath(token));
  await screen.findByRole('heading', { name: heading });
  expect(document.body.textContent).not.toMatch(/Vera|rushes/);
});

test('Download: a click on a row opens the details and starts no download', async () => {
  const { token } = await send();
  const user = renderPage(sharePath(token));
  const list = await screen.findByRole('list', { name: 'Files' });
  await user.click(within(list).getByRole('button', { name: 'Details of notes.bin' }));
  const details = await screen.findByRole('dialog', { name: 'File details' });
  within(details).getByRole('link', { name: 'Download' });
  await user.keyboard('{Escape}');
  within(list).getByRole('link', { name: 'Download notes.bin' });
  expect(await sentTo({ ...downloadFile, method: 'HEAD' as 'GET' })).toEqual([]);
});

test('Download: technical ways are behind one line', async () => {
  const { token } = await send();
  const user = renderPage(sharePath(token));
  const line = await screen.findByText('More ways to download');
  expect(screen.queryByText(/Want proof/)).toBeNull();
  await user.click(line);
  await screen.findByText('Want proof that nothing changed? Compare the SHA-256 checksums.');
  screen.getByText(/continues where it stopped/);
  expect(screen.queryByText('Earlier versions')).toBeNull();
  const bag = screen.getByRole('link', { name: 'Download as a BagIt bag' });
  expect(bag.getAttribute('href')).toBe(bagDownloadPath(zipDownloadPath(token)));
  // Browsers that cannot write files offer no live progress.
  expect(screen.queryByText('Download with live progress')).toBeNull();
});

test('Download: earlier versions are behind the same line', async () => {
  const member = await createMember(server, 'premium');
  const { id, token, fileIds } = await sendTransfer(member.client, FILES, {});
  const params = { id };
  await member.client.call(beginUpdate, { params });
  await member.client.call(planUpdate, { params, body: { removed: [fileIds[0]!] } });
  await member.client.call(publishUpdate, { params, body: { version: 1 } });
  const user = renderPage(sharePath(token));
  await user.click(await screen.findByText('More ways to download'));
  const list = await screen.findByRole('list', { name: 'Earlier versions' });
  const [version, ...others] = within(list).getAllByRole('listitem');
  expect(others).toEqual([]);
  expect(version!.textContent).toContain('2 files · 1.5 KB');
  const link = within(version!).getByRole('link', { name: /^Download the version of/ });
  expect(link.getAttribute('href')).toBe(versionDownloadPath(token, 1));
});

test('Download: a long message is folded', async () => {
  const { token } = await send({ message: 'As promised. '.repeat(40) });
  const user = renderPage(sharePath(token));
  await user.click(await screen.findByRole('button', { name: 'Show full message' }));
  expect(screen.queryByRole('button', { name: 'Show full message' })).toBeNull();
});

/** Also if elements divide it. */
function expectText(text: string): void {
  const found = [...document.querySelectorAll('p')].map((each) => each.textContent);
  expect(found).toContain(text);
}

async function send(settings: TransferSettingsInput = {}, files = FILES): Promise<SentTransfer> {
  const { client } = await createMember(server, 'premium');
  return sendTransfer(client, files, settings);
}

function rowsOf(card: HTMLElement): (string | null)[] {
  return [...card.querySelectorAll('dl > div')].map((each) => each.textContent);
}
