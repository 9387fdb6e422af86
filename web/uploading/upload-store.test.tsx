import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import type { TransferSettingsInput, UnfinishedUpload } from '../../contracts/transfers/uploads/uploads.ts';
import { currentToast } from '../components/feedback/toast.ts';
import type { EngineState } from './engine/engine-state.ts';
import type { UploadTransport } from './engine/upload-transport.ts';
import { type UploadPage, UploadStore } from './upload-store.ts';

const BYTES = 10;
let close: (() => void) | undefined;
let calls: string[] = [];
let ends: EngineState[] = [];

beforeEach(() => {
  calls = [];
  ends = [];
});
afterEach(() => close?.());

test('sends the selected files with the page’s settings, then clears the list', async () => {
  const store = await openStore();
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  store.submit();
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
  expect(calls).toEqual(['announce a.bin', 'complete u1 as Rushes']);
  expect(store.state.items).toEqual([]);
  expect(store.state.isActive).toBe(false);
});

test('does not send without files, with form errors, or beyond a limit', async () => {
  const store = await openStore({ collectSettings: async () => undefined });
  await store.submit();
  expect(currentToast()?.title).toBe('No files selected');
  await store.addFiles({ files: [], roots: [] });
  expect(currentToast()?.title).toBe('Nothing to send');
  await store.addFiles({ files: [selectFile('large.bin', 3 * BYTES)], roots: [] });
  expect(currentToast()?.title).toBe('Too large');
  expect(store.state.items).toEqual([]);
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  store.submit();
  await Promise.resolve();
  expect(store.state.phase).toBe('idle');
  expect(calls).toEqual([]);
});

test('names what could not be read, and takes the rest', async () => {
  const store = await openStore();
  await store.addFiles({ files: [], roots: [], unreadable: ['trip/a', 'trip/b'] });
  expect(currentToast()).toMatchObject({
    title: 'These files could not be read',
    description: 'trip/a, trip/b',
  });
  const unreadable = ['trip/a', 'trip/b', 'trip/locked/', 'trip/c', 'd'];
  await store.addFiles({ files: [selectFile('a.bin')], roots: [], unreadable });
  expect(currentToast()).toMatchObject({
    title: 'These files could not be read',
    description: 'trip/a, trip/b, trip/locked/ and 2 more',
  });
  expect(store.state.items.map(({ relativePath }) => relativePath)).toEqual(['a.bin']);
});

test('resumes an unfinished transfer, and asks before continuing without its other files', async () => {
  const unfinished = [describeUnfinished('u1', 'a.bin'), describeUnfinished('u2', 'b.bin')];
  const store = await openStore({}, unfinished);
  const [transfer] = store.state.unfinished;
  await store.addFiles({ files: [selectFile('other.bin')], roots: [] }, transfer);
  expect(currentToast()?.title).toBe('These are different files');
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  expect(store.state.resuming?.missing.map(({ uploadId }) => uploadId)).toEqual(['u2']);
  store.submit();
  expect(store.state.isConfirmingMissing).toBe(true);
  store.answerMissing(true);
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
  expect(calls).toEqual(['abort u2', 'complete u1 as Rushes']);
  expect(store.state.unfinished).toEqual([]);
});

test('files chosen while the list is loading continue the transfer they belong to', async () => {
  const list = Promise.withResolvers<UnfinishedUpload[]>();
  const store = await openStore({}, [], list.promise);
  const added = store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  list.resolve([describeUnfinished('u1', 'a.bin')]);
  await added;
  expect(store.state.resuming?.missing).toEqual([]);
  store.submit();
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
  expect(calls).toEqual(['complete u1 as Rushes']);
});

test('files chosen while the list is loading are sent even if Upload is pressed before it has loaded', async () => {
  const list = Promise.withResolvers<UnfinishedUpload[]>();
  const store = await openStore({}, [], list.promise);
  void store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  const submitted = store.submit();
  list.resolve([]);
  await submitted;
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
  expect(calls).toEqual(['announce a.bin', 'complete u1 as Rushes']);
});

test('removing all files of a resumed transfer puts it back on the list', async () => {
  const store = await openStore({}, [describeUnfinished('u1', 'a.bin')]);
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  store.remove([...store.state.items]);
  expect(store.state.resuming).toBeUndefined();
  expect(store.state.unfinished.map(({ transferId }) => transferId)).toEqual(['t']);
  expect(calls).toEqual([]);
});

test('sends files ahead, and completes with the settings as they are when it is submitted', async () => {
  let title = 'Draft';
  const store = await openStore({ sendsAhead: () => true, collectSettings: async () => ({ title }) });
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  await vi.waitFor(() => expect(store.state.phase).toBe('arrived'));
  expect([store.state.isUnfinished, store.state.isLocked]).toEqual([true, false]);
  await store.addFiles({ files: [selectFile('b.bin')], roots: [] });
  await vi.waitFor(() => expect(calls).toEqual(['announce a.bin', 'announce b.bin']));
  expect(ends).toEqual([]);
  title = 'Rushes';
  store.submit();
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
  expect(calls.slice(2)).toEqual(['complete u1 u2 as Rushes']);
});

test('settings with mistakes stop the completion until they are corrected', async () => {
  let reads = 0;
  const store = await openStore({
    collectSettings: async () => (++reads === 2 ? undefined : { title: 'Rushes' }),
  });
  await store.addFiles({ files: [selectFile('a.bin')], roots: [] });
  store.submit();
  await vi.waitFor(() => expect(store.state.phase).toBe('arrived'));
  expect(currentToast()?.title).toBe('Please check the settings');
  store.submit();
  await vi.waitFor(() => expect(ends.map(({ phase }) => phase)).toEqual(['success']));
});

async function openStore(
  page: Partial<UploadPage> = {},
  unfinished: UnfinishedUpload[] = [],
  list = Promise.resolve(unfinished),
): Promise<UploadStore> {
  const store = new UploadStore({ transport: fakeTransport(list) });
  store.connect({
    noFiles: { title: 'No files selected' },
    findBreach: ({ totalBytes }) => (totalBytes > 2 * BYTES ? { title: 'Too large' } : undefined),
    collectSettings: async () => ({ title: 'Rushes' }),
    restoreSettings: () => false,
    onEnd: (end: EngineState, _settings: TransferSettingsInput) => void ends.push(end),
    isSenderKnown: async () => true,
    ...page,
  });
  close = store.open();
  await vi.waitFor(() => expect(store.state.unfinished.length).toBe(Math.min(1, unfinished.length)));
  return store;
}

function fakeTransport(unfinished: Promise<UnfinishedUpload[]>): UploadTransport {
  let ids = 0;
  return {
    announce: async ({ files }) => {
      calls.push(`announce ${files.map(({ fileName }) => fileName).join(' ')}`);
      const uploads = files.map(() => ({
        uploadId: `u${++ids}`,
        transferId: 't',
        chunkSize: CHUNK_BYTES,
        receivedChunks: [],
      }));
      return { transferId: 't', uploads };
    },
    send: async () => {},
    complete: async ({ uploadIds, settings }) => {
      calls.push(`complete ${uploadIds.join(' ')} as ${settings.title}`);
      return { token: 'token', transfer: { id: 't' } };
    },
    listUnfinished: () => unfinished,
    abort: async (uploadIds) => void calls.push(`abort ${uploadIds.join(' ')}`),
    discard: async (transferId) => void calls.push(`discard ${transferId}`),
  };
}

function selectFile(relativePath: string, size = BYTES) {
  return { file: new File(['x'.repeat(size)], relativePath), relativePath };
}

function describeUnfinished(uploadId: string, relativePath: string): UnfinishedUpload {
  return {
    uploadId,
    transferId: 't',
    addsTo: null,
    sharedToken: null,
    encryption: null,
    fileName: relativePath,
    relativePath,
    mimeType: 'x/y',
    fileSize: BYTES,
    chunkSize: CHUNK_BYTES,
    totalChunks: 1,
    receivedChunks: [],
    createdAt: '',
    lastActivityAt: '',
  };
}
