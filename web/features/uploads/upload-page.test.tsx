import { act } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { addFilesPage, PAGES } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { announceFile, sendChunks } from '../../../testing/uploads/upload-files.ts';
import { invalidate } from '../../api/endpoint-query.ts';
import {
  cutOnce,
  fill,
  holdCall,
  renderAsMember,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

const BYTES = Buffer.from('take two');

test('a free sender’s monthly usage has a placeholder while it loads', async () => {
  const release = holdCall(getMonthlyUsage);
  await renderAsMember(PAGES.upload, 'free');
  await screen.findByText('Loading your usage');
  release();
  await screen.findByRole('progressbar', { name: 'Monthly usage' });
  expect(screen.queryByText('Loading your usage')).toBeNull();
});

test('the page that adds files stays when the connection breaks', async () => {
  const member = await createMember(server, 'premium');
  const files = [{ fileName: 'note.txt', bytes: Buffer.from('note') }];
  const { id } = await sendTransfer(member.client, files, { title: 'Letter' });
  renderPage(addFilesPage(id), { as: member });
  const heading = await screen.findByRole('heading', { name: 'Adding to “Letter”' });
  cutOnce(getTransfer);
  await act(async () => {
    await invalidate(getTransfer);
    await new Promise((resolve) => setTimeout(resolve));
  });
  expect(heading.isConnected).toBe(true);
});

test('an upload that has arrived in full is finished without its files', async () => {
  const member = await createMember(server, 'premium');
  const { uploadId } = await announceFile(member.client, 'notes.bin', BYTES);
  await sendChunks(member.client, uploadId, BYTES);
  const user = renderPage(PAGES.upload, { as: member });
  const list = within(await screen.findByTestId('unfinished-uploads'));
  list.getByText('100%');
  list.getByText('1 file, all 8 B uploaded');
  expect(list.queryByRole('button', { name: /^Choose/ })).toBeNull();
  await user.click(list.getByRole('button', { name: 'Finish notes.bin' }));
  // This device does not know how it was to be shared.
  await screen.findByText('All files are uploaded. You only need to finish.');
  expect(screen.queryByRole('button', { name: 'Send as a new transfer' })).toBeNull();
  await fill(user, screen.getByRole('textbox', { name: /^Title/ }), 'Rushes');
  await user.click(screen.getByRole('button', { name: 'Finish upload' }));
  await screen.findByRole('dialog', { name: 'Ready to share' });
  const [transfer] = await member.client.call(listTransfers, { query: {} });
  expect([transfer?.title, transfer?.fileCount, transfer?.totalSize]).toEqual(['Rushes', 1, 8]);
  expect(await member.client.call(listUploads, { query: {} })).toEqual([]);
});

test('files being added to an untitled transfer are finished on its own page', async () => {
  const member = await createMember(server, 'premium');
  const { id } = await sendTransfer(member.client, [{ fileName: 'first.bin', bytes: BYTES }]);
  const { uploadId } = await announceFile(member.client, 'notes.bin', BYTES, id);
  await sendChunks(member.client, uploadId, BYTES);
  const [untitled] = await member.client.call(listTransfers, { query: {} });
  const name = nameTransfer(untitled!);
  const user = renderPage(PAGES.upload, { as: member });
  const list = within(await screen.findByTestId('unfinished-uploads'));
  list.getByText(`Adding to “${name}”`);
  const link = list.getByRole('link', { name: 'Continue adding notes.bin' });
  expect(link.getAttribute('href')).toBe(addFilesPage(id));
  await user.click(link);
  await screen.findByRole('heading', { name: `Adding to “${name}”` });
  await user.click(await screen.findByRole('button', { name: 'Finish notes.bin' }));
  await user.click(await screen.findByRole('button', { name: 'Finish upload' }));
  await screen.findByRole('heading', { name: `${name} + 1` });
  const [transfer] = await member.client.call(listTransfers, { query: {} });
  expect(transfer?.fileCount).toBe(2);
});

test('all unfinished uploads are discarded at once', async () => {
  const member = await createMember(server, 'premium');
  const { uploadId } = await announceFile(member.client, 'notes.bin', BYTES);
  await sendChunks(member.client, uploadId, BYTES);
  await announceFile(member.client, 'more.bin', BYTES);
  const user = renderPage(PAGES.upload, { as: member });
  const list = within(await screen.findByTestId('unfinished-uploads'));
  await user.click(list.getByRole('button', { name: 'Discard all' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Discard 2 uploads?' }));
  await user.click(question.getByRole('button', { name: 'Discard 2 uploads' }));
  await waitFor(() => expect(screen.queryByTestId('unfinished-uploads')).toBeNull());
  expect(await member.client.call(listUploads, { query: {} })).toEqual([]);
});
