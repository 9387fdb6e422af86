import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listDownloadFiles } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import {
  beginUpdate,
  listVersions,
  planUpdate,
  publishUpdate,
} from '../../../../contracts/transfers/versions.ts';
import { versionDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import {
  answerOnce,
  expectToast,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';
import type { WorkerRequest } from '../../../uploading/engine/answer-requests.ts';
import type { ReadRequest } from '../../../uploading/engine/crc32.worker.ts';
import { readChunk } from '../../../uploading/engine/read-chunk.ts';
import { hashBlob } from './hash-blob.ts';

const BEFORE = { 'plans/a.txt': 'first a', 'plans/b.txt': 'first b', 'plans/c.txt': 'first c' };
const AFTER = { 'plans/a.txt': 'a, corrected', 'plans/renamed.txt': 'first b', 'plans/new.txt': 'new' };

beforeEach(() => {
  vi.stubGlobal('Worker', InPageWorker);
  onTestFinished(() => void vi.unstubAllGlobals());
});

test('an update sends only what changed and publishes it', async () => {
  const { member, user, id, token } = await openDialog();
  await choose(AFTER);
  const changes = await screen.findByRole('list', { name: 'Changes' });
  expect(
    within(changes)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['1 changed', '1 new', '1 renamed', '1 removed']);
  expect(await sentTo(beginUpdate)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Publish update' }));
  await expectToast('Update published');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  const announced = (await sentTo(initUploads)) as { files: { relativePath: string }[] }[];
  expect(announced.flatMap(({ files }) => files.map(({ relativePath }) => relativePath))).toEqual([
    'plans/a.txt',
    'plans/new.txt',
  ]);
  expect(await contentsOf(token)).toEqual(Object.keys(AFTER).toSorted());
  const versions = await screen.findByRole('list', { name: 'Versions' });
  await within(versions).findByText('Version 2');
  const earlier = within(versions).getByRole('link', { name: 'Download version 1' });
  expect(earlier.getAttribute('href')).toBe(versionDownloadPath(token, 1));
  expect(await member.client.call(listVersions, { params: { id } })).toHaveLength(2);
});

test('if an update of the server has removed the worker, the dialog says so', async () => {
  vi.stubGlobal('Worker', MissingWorker);
  await openDialog();
  await choose(AFTER);
  await screen.findByText(/Sendwell was just updated\. Reloading usually helps\./);
});

test('files that are the same change nothing', async () => {
  const { user } = await openDialog();
  await choose(BEFORE);
  await screen.findByText('Nothing has changed. The transfer already contains exactly these files.');
  expect(screen.queryByRole('button', { name: 'Publish update' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Choose other files' }));
  await choose({ 'new.txt': 'a single file leaves everything else as it is' });
  const changes = await screen.findByRole('list', { name: 'Changes' });
  expect(changes.textContent).toBe('1 new');
});

test('an update of a transfer that was updated meanwhile compares again', async () => {
  const { user, member, id } = await openDialog();
  await choose(AFTER);
  const publish = await screen.findByRole('button', { name: 'Publish update' });
  const params = { id };
  const { files } = await member.client.call(getTransfer, { params, query: {} });
  await member.client.call(beginUpdate, { params });
  await member.client.call(planUpdate, { params, body: { removed: [files[2]!.id] } });
  await member.client.call(publishUpdate, { params, body: { version: 1 } });
  await user.click(publish);
  await screen.findByText(/The transfer was updated in the meantime/);
  await user.click(screen.getByRole('button', { name: 'Compare again' }));
  await user.click(await screen.findByRole('button', { name: 'Publish update' }));
  await expectToast('Update published');
});

test('an interrupted update continues with the same files', async () => {
  const first = await openDialog();
  answerOnce(publishUpdate, { status: 403, body: { status: 403, code: 'not_allowed', detail: 'Not now.' } });
  await choose(AFTER);
  await first.user.click(await screen.findByRole('button', { name: 'Publish update' }));
  await screen.findByText('Not now.');
  const announcements = (await sentTo(initUploads)).length;
  await first.user.click(screen.getByRole('button', { name: 'Choose other files' }));
  await choose(AFTER);
  await first.user.click(await screen.findByRole('button', { name: 'Publish update' }));
  await expectToast('Update published');
  expect(await sentTo(initUploads)).toHaveLength(announcements);
  expect(await contentsOf(first.token)).toEqual(Object.keys(AFTER).toSorted());
});

async function openDialog() {
  const member = await createMember(server, 'premium');
  const files = Object.entries(BEFORE).map(([relativePath, text]) => ({
    fileName: relativePath.slice(relativePath.lastIndexOf('/') + 1),
    relativePath,
    bytes: Buffer.from(text),
  }));
  const { id, token } = await sendTransfer(member.client, files, { title: 'Plans' });
  await waitFor(async () => {
    const { files: sent } = await member.client.call(getTransfer, { params: { id }, query: {} });
    expect(sent.every(({ sha256 }) => sha256 !== null)).toBe(true);
  });
  const user = renderPage(transferPage(id), { as: member });
  await user.click(await screen.findByRole('button', { name: 'Update…' }));
  await screen.findByRole('dialog', { name: 'Update this transfer' });
  return { member, user, id, token };
}

/** As the browser's picker for folders does. */
async function choose(contents: Record<string, string>): Promise<void> {
  const field = await screen.findByTestId<HTMLInputElement>('folder-input');
  const files = Object.entries(contents).map(([relativePath, text]) => {
    const file = new File([text], relativePath.slice(relativePath.lastIndexOf('/') + 1), { lastModified: 1 });
    return Object.defineProperty(file, 'webkitRelativePath', { value: relativePath });
  });
  Object.defineProperty(field, 'files', { value: files, configurable: true });
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

async function contentsOf(token: string): Promise<string[]> {
  const files = await server.anonymous().call(listDownloadFiles, { params: { token }, query: {} });
  return files.map(({ relativePath }) => relativePath).toSorted();
}

/** The workers of the page, which this window does not have. */
class InPageWorker {
  onmessage: (event: { data: unknown }) => void = () => {};
  readonly #hashes: boolean;

  constructor(url: string) {
    this.#hashes = url.includes('sha256');
  }

  async postMessage({ ticket, request }: WorkerRequest<Blob | ReadRequest>): Promise<void> {
    const result = this.#hashes
      ? await hashBlob(request as Blob, () => {})
      : await readChunk((request as ReadRequest).slice, undefined);
    this.onmessage({ data: { ticket, result } });
  }

  terminate(): void {}
}

class MissingWorker {
  onerror: (event: { message: string }) => void = () => {};

  postMessage(): void {
    queueMicrotask(() => this.onerror({ message: '404' }));
  }

  terminate(): void {}
}
