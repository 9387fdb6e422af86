import { expect, test } from 'vitest';
import { getCurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { createEncryption } from '../../../../encryption/keys.ts';
import { formatKey } from '../../../../encryption/link.ts';
import { sendSealedTransfer } from '../../../../testing/uploads/sealed-transfers.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import { keepKey } from '../../../key-ring/key-ring.ts';
import { keepDatabasesInMemory } from '../../../testing/memory-database.ts';
import {
  expectPath,
  expectToast,
  renderAsMember,
  screen,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const PALETTE = { name: /^Search or jump to…/ };

test('Ctrl+K finds a page and goes there with Enter', async () => {
  const { user } = await renderAsMember('/dashboard');
  await screen.findByRole('button', PALETTE);
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', PALETTE);
  expect(document.activeElement).toBe(field);
  await user.type(field, 'sett');
  const option = screen.getByRole('option', { name: 'Settings' });
  expect(option.getAttribute('aria-selected')).toBe('true');
  expect(field.getAttribute('aria-activedescendant')).toBe(option.id);
  await user.keyboard('{Enter}');
  await expectPath('/dashboard/settings');
  await waitFor(() => expect(screen.queryByRole('combobox', PALETTE)).toBeNull());
});

test('arrow keys go through the results, around the ends', async () => {
  const { user } = await renderAsMember('/dashboard');
  await user.click(await screen.findByRole('button', PALETTE));
  await screen.findByRole('combobox', PALETTE);
  const selected = () => screen.getByRole('option', { selected: true }).textContent;
  expect(selected()).toBe('New upload');
  await user.keyboard('{ArrowDown}');
  expect(selected()).toBe('New secret text');
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(selected()).toBe('This device');
  await user.keyboard('{ArrowDown}');
  expect(selected()).toBe('New upload');
});

test('finds transfers by name, and says so if nothing matches', async () => {
  const { user, member } = await renderAsMember('/dashboard/settings');
  const files = [{ fileName: 'pier.jpg', bytes: Buffer.from('pier') }];
  const { id } = await sendTransfer(member.client, files, { title: 'Harbour in spring' });
  await user.click(await screen.findByRole('button', PALETTE));
  const field = await screen.findByRole('combobox', PALETTE);
  await user.type(field, 'no such thing');
  await screen.findByText('Nothing matches “no such thing”.');
  await user.clear(field);
  await user.type(field, 'harbour');
  const option = await screen.findByRole('option', { name: /Harbour in spring/ });
  expect(within(screen.getByRole('group', { name: 'Transfers' })).getByRole('option')).toBe(option);
  await user.keyboard('{Enter}');
  await expectPath(`/dashboard/transfer/${id}`);
});

test('finds an encrypted transfer by the name that only this browser knows', async () => {
  keepDatabasesInMemory();
  const { user, member } = await renderAsMember('/dashboard/settings');
  const { id } = await sendSealedTransfer(member.client, { sizes: [1_000] });
  const { linkSecret, params, keys } = await createEncryption();
  const key = formatKey(linkSecret);
  const { id: owner } = await member.client.call(getCurrentUser);
  const kept = { owner, key, params, keys, isDraft: false, savedAt: 1 };
  await keepKey({ ...kept, transferId: id, title: null, firstFileName: 'Åland ferry.pdf' });
  await keepKey({ ...kept, transferId: 'z'.repeat(26), title: 'Ferry of a deleted transfer' });
  await user.click(await screen.findByRole('button', PALETTE));
  await user.type(await screen.findByRole('combobox', PALETTE), 'aland fer');
  await user.click(await screen.findByRole('option', { name: /^Åland ferry\.pdf/ }));
  await expectPath(`/dashboard/transfer/${id}`);
  await screen.findByRole('heading', { name: 'Åland ferry.pdf' });
});

test('only administrators find the pages of the Admin Panel', async () => {
  const { user } = await renderAsMember('/dashboard');
  await user.click(await screen.findByRole('button', PALETTE));
  await user.type(await screen.findByRole('combobox', PALETTE), 'audit');
  expect(screen.queryByRole('option', { name: 'Audit Log' })).toBeNull();
});

test('chooses a theme, and signs out', async () => {
  const { user } = await renderAsMember('/dashboard');
  const run = async (text: string) => {
    await user.click(await screen.findByRole('button', PALETTE));
    await user.type(await screen.findByRole('combobox', PALETTE), text);
    await user.keyboard('{Enter}');
  };
  await run('light');
  await waitFor(() => expect(document.documentElement.dataset.theme).toBe('light'));
  await run('dark');
  await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'));
  await run('sign out');
  await expectPath('/auth');
  await expectToast('Logged out');
});

test('N opens the upload page and ? the list of shortcuts, but not while typing', async () => {
  const { user } = await renderAsMember('/dashboard/settings');
  const name = await screen.findByLabelText('Name');
  await user.type(name, 'n?');
  expect(location.pathname).toBe('/dashboard/settings');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.clear(name);
  await user.type(name, 'Vera Visitor');
  name.blur();
  await user.keyboard('?');
  await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  await user.keyboard('n');
  expect(location.pathname).toBe('/dashboard/settings');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.keyboard('n');
  await expectPath('/dashboard/upload');
});

test('single-key shortcuts can be switched off', async () => {
  const { user } = await renderAsMember('/dashboard/settings/device');
  await user.click(await screen.findByRole('switch', { name: 'Single-key shortcuts' }));
  (document.activeElement as HTMLElement).blur();
  await user.keyboard('?n');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(location.pathname).toBe('/dashboard/settings/device');
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('combobox', PALETTE);
});
