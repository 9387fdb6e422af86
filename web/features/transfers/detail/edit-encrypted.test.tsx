import { expect, test, vi } from 'vitest';
import { getCurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { getOwnManifest, getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { addFilesPage, transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { openManifest } from '../../../../encryption/manifest.ts';
import { sendEncrypted } from '../../../../testing/encryption/send-encrypted.ts';
import { keepKey } from '../../../key-ring/key-ring.ts';
import { keepDatabasesInMemory } from '../../../testing/memory-database.ts';
import {
  answerOnce,
  cutOnce,
  expectPath,
  expectToast,
  fill,
  renderPage,
  screen,
  server,
  within,
} from '../../../testing/render-page.tsx';

/** An encrypted transfer whose key this browser has. */
async function sendWithKey({ isArriving = false } = {}) {
  keepDatabasesInMemory();
  const member = await createMember(server, 'premium');
  const files = [{ path: 'pier.jpg', bytes: Buffer.from('pier') }];
  const sent = await sendEncrypted(member.client, { files, isArriving });
  const { id } = sent;
  const { encryption } = await member.client.call(getTransfer, { params: { id } });
  const { id: owner } = await member.client.call(getCurrentUser);
  const key = sent.link.slice(sent.link.indexOf('#') + 1);
  const { keys } = sent;
  await keepKey({ transferId: id, owner, key, params: encryption!, keys, isDraft: false, savedAt: 1 });
  return { member, id, sent, keys };
}

test('names that could not be loaded can be loaded again', async () => {
  const { member, id } = await sendWithKey();
  cutOnce(getOwnManifest);
  const user = renderPage(transferPage(id), { as: member });
  const alert = await screen.findByText(/^The file names couldn't be loaded\./);
  expect(screen.queryByText(/Browsers that have the key show them/)).toBeNull();
  await user.click(within(alert.parentElement!).getByRole('button', { name: 'Try again' }));
  await screen.findByText('pier.jpg');
  expect(screen.queryByText(/^The file names couldn't be loaded\./)).toBeNull();
});

test('code for the names that could not be loaded is reported in the words of the page', async () => {
  const { member, id } = await sendWithKey();
  vi.doMock('../../../key-ring/open-manifest.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  const user = renderPage(transferPage(id), { as: member });
  const alert = await screen.findByText(/^The file names couldn't be loaded\./, {}, { timeout: 15_000 });
  expect(alert.textContent).toContain('Sendwell was just updated.');
  vi.doUnmock('../../../key-ring/open-manifest.ts');
  await user.click(within(alert.parentElement!).getByRole('button', { name: 'Try again' }));
  await screen.findByText('pier.jpg', {}, { timeout: 15_000 });
});

test('title and message of an encrypted transfer are sealed again, as the next revision', async () => {
  const { member, id, sent, keys } = await sendWithKey();
  const user = renderPage(transferPage(id), { as: member });
  await screen.findByRole('heading', { name: 'Title' });
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  const form = within(await screen.findByRole('form', { name: 'Edit transfer' }));
  await fill(user, form.getByRole('textbox', { name: /^Title/ }), 'Harbour at night');
  await fill(user, form.getByRole('textbox', { name: /^Message/ }), 'Only for you.');
  await user.click(form.getByRole('button', { name: 'Save changes' }));
  await expectToast('Changes saved');
  await screen.findByRole('heading', { name: 'Harbour at night' });
  await screen.findByText('Only for you.');
  const response = await member.client.fetch(`/api/transfers/${id}/manifest`);
  const manifest = await openManifest(keys.manifest, new Uint8Array(await response.arrayBuffer()), 2);
  expect([manifest.title, manifest.message, manifest.files]).toEqual([
    'Harbour at night',
    'Only for you.',
    sent.manifest.files,
  ]);
  const [after] = await member.client.call(listTransfers);
  expect([after?.title, after?.message]).toEqual([null, null]);
});

test('while an encrypted transfer is arriving, all settings but its title and message can be changed', async () => {
  const { member, id } = await sendWithKey({ isArriving: true });
  const user = renderPage(transferPage(id), { as: member });
  await screen.findByRole('heading', { name: 'Title' });
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  const form = within(await screen.findByRole('form', { name: 'Edit transfer' }));
  form.getByText(/Its title and message can be changed once all files have arrived/);
  expect(form.queryByRole('textbox', { name: /^(Title|Message)/ })).toBeNull();
  await fill(user, form.getByLabelText('Download limit'), '7');
  await user.click(form.getByRole('button', { name: 'Save changes' }));
  await expectToast('Changes saved');
  const { maxDownloads } = await member.client.call(getTransfer, { params: { id } });
  expect(maxDownloads).toBe(7);
});

test('a damaged encrypted file is not sent again in place, but added again', async () => {
  const member = await createMember(server, 'premium');
  await sendEncrypted(member.client, { files: [{ path: 'pier.jpg', bytes: Buffer.from('pier') }] });
  const [{ id } = { id: '' }] = await member.client.call(listTransfers);
  const transfer = await member.client.call(getTransfer, { params: { id } });
  const files = transfer.files.map((file) => ({ ...file, isDamaged: true }));
  answerOnce(getTransfer, { body: { ...transfer, files } });
  const user = renderPage(transferPage(id), { as: member });
  const note = await screen.findByText(/^1 file is damaged .* An encrypted file cannot be repaired/);
  await screen.findByText(/^Damaged/);
  expect(screen.queryByRole('button', { name: /^Send again/ })).toBeNull();
  await user.click(within(note.parentElement!).getByRole('link', { name: 'Add files' }));
  await expectPath(addFilesPage(id));
});
