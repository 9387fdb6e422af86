import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ApiError } from '../../client/api-error.ts';
import { ChunkSender, type SendOptions } from '../../client/chunk-sender.ts';
import { announceAccepted, type ChunkTask, chunkRequest, isStoredAlready } from '../../client/upload-plan.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import { deleteTransfer, getTransfer } from '../../contracts/transfers/transfers.ts';
import {
  abortUpload,
  completeUploads,
  initUploads,
  listChunks,
  listUploads,
  type UnfinishedUpload,
  uploadChunk,
} from '../../contracts/transfers/uploads/uploads.ts';
import { fetchPages } from '../../contracts/values/paging.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';
import { ChunkReader, type ChunkSource, type OutgoingFile, toOutgoing } from './chunk-reader.ts';
import { describeSource, readableReason } from './collect-files.ts';
import type { SendContext } from './context.ts';
import {
  describeLink,
  newEncryption,
  newFileId,
  type Sealing,
  serverSettings,
  startSealing,
  toRequest,
} from './encryption.ts';
import type { SendJournal, SendUpdate } from './journal.ts';
import { putCurrentManifest } from './manifest.ts';
import { SealingThreads } from './sealing/sealing-threads.ts';
import { EarlyCompletion, shareNow } from './share-now.ts';
import { openUpdate, publish, UpdateEndedError } from './update.ts';

export type SentTransfer = { id: string; token: string; link: string; files: number; bytes: number };

/** Limits attempts if the server keeps losing received chunks or the upload. */
const MAX_ROUNDS = 3;
const MAX_LANES = 8;
/** Limits the memory for chunks in flight. */
const MAX_CHUNK_BYTES = 64 * MIB;
/** More than the operating system buffers on a dead connection, so sending this much proves that it works. */
const PROOF_BYTES = MIB;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends the files of a journal from where an earlier run stopped, and removes the journal. Throws ApiError,
 * CommandError, or the signal's reason, and then keeps the journal.
 */
export async function sendTransfer(context: SendContext): Promise<SentTransfer> {
  const { journal } = context;
  const { state } = journal;
  const sealing = await startSealing(state);
  if (state.token === undefined) await restartChangedFiles(context);
  for (let round = 1; ; round += 1) {
    try {
      if (state.token === undefined) await sendFiles(context, sealing);
      await journal.remove();
      return describeSent(context);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : undefined;
      if (round === MAX_ROUNDS) throw error;
      if (code === 'upload_not_found' || code === 'transfer_not_found') await restart(context);
      else if (code !== 'chunks_missing') throw error;
    }
  }
}

async function sendFiles(context: SendContext, sealing: Sealing | undefined): Promise<void> {
  const { journal, screen } = context;
  const { state } = journal;
  const received = await listReceived(context);
  if (state.update && state.transferId === undefined) {
    const draftId = await openUpdate(context, state.update);
    await journal.recordAnnounced({ transferId: draftId, uploadIds: {} });
  }
  await announce(context);
  const shared = await shareNow(context, sealing);
  const link = shared ?? describeLink(state);
  if (sealing && link) screen.showLink(link);
  const files = state.files.map((_, place) =>
    toOutgoing(state, place, received.get(state.uploadIds[place]!)),
  );
  const early = shared === undefined ? undefined : new EarlyCompletion(context);
  const onWhole = (file: OutgoingFile) => early?.add(file);
  if (sealing) await sendSealed(context, files, { keys: sealing, onWhole });
  else await sendChunks(context, files, { source: new ChunkReader(), onWhole });
  await early?.end();
  await complete(context);
}

type SealedSending = Pick<Sending, 'onWhole'> & { keys: Sealing };

async function sendSealed(
  context: SendContext,
  files: OutgoingFile[],
  { keys, onWhole }: SealedSending,
): Promise<void> {
  const threads = new SealingThreads(keys.content, context.journal);
  try {
    await sendChunks(context, files, { source: threads, onWhole });
    for (const file of files) await threads.finish(file, context.signal);
  } finally {
    await threads.close();
  }
  await putCurrentManifest(context, keys.manifest);
}

function describeSent({ journal: { state } }: SendContext): SentTransfer {
  return {
    id: state.update?.transferId ?? state.transferId!,
    token: state.token!,
    link: describeLink(state)!,
    files: state.files.length,
    bytes: state.files.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Restarts files that have changed on disk since they were announced. */
async function restartChangedFiles({ journal, api, screen, retries, signal }: SendContext): Promise<void> {
  const { state } = journal;
  for (let index = state.completedFiles; index < state.files.length; index += 1) {
    const file = state.files[index]!;
    const found = await stat(file.path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(EXIT.failed, `${file.path}: ${readableReason(error)}.`);
    });
    if (found.size === file.size && found.mtimeMs === file.mtimeMs) continue;
    screen.say(`${file.path} has changed. Sending it again from the beginning.`);
    const uploadId = state.uploadIds[index];
    if (uploadId)
      await retries.run(() => ignoreUnknown(api.call(abortUpload, { params: { uploadId }, signal })), signal);
    const { path, relativePath, fileId } = file;
    const changed = { path, relativePath, ...describeSource(found), ...(fileId && newFileId()) };
    await journal.recordChanged(index, changed);
  }
}

/** Maps uploads to their chunks on the server. Throws ApiError `upload_not_found` if an upload has expired. */
async function listReceived({ journal, api, retries, signal }: SendContext): Promise<Map<string, number[]>> {
  const { uploadIds, completedFiles } = journal.state;
  const received = new Map<string, number[]>();
  if (uploadIds.every((id) => id === undefined)) return received;
  const fetchPage = (cursor?: string) =>
    retries.run(() => api.callPage(listUploads, { query: { cursor }, signal }), signal);
  const first = await fetchPage();
  const add = (uploads: UnfinishedUpload[]) => {
    for (const { uploadId, receivedChunks } of uploads) received.set(uploadId, receivedChunks);
  };
  add(first.items);
  for await (const uploads of fetchPages(first.nextCursor, fetchPage)) add(uploads);
  for (const [index, uploadId] of uploadIds.entries()) {
    if (uploadId === undefined || received.has(uploadId)) continue;
    // The upload is either completed according to the journal, or expired.
    const chunks =
      index < completedFiles
        ? allChunks(journal, index)
        : (await retries.run(() => api.call(listChunks, { params: { uploadId }, signal }), signal)).chunks;
    received.set(uploadId, chunks);
  }
  return received;
}

function allChunks({ state }: SendJournal, index: number): number[] {
  const { totalChunks } = toOutgoing(state, index);
  return Array.from({ length: totalChunks }, (_, chunk) => chunk);
}

async function announce({ journal, api, retries, signal }: SendContext): Promise<void> {
  const { state } = journal;
  const fresh = [...state.files.keys()].filter((index) => state.uploadIds[index] === undefined);
  for (let start = 0; start < fresh.length; start += MAX_FILES_PER_CALL) {
    const batch = fresh.slice(start, start + MAX_FILES_PER_CALL);
    const requests = batch.map((index) => toRequest(state.files[index]!));
    const { transferId } = state;
    const answer = await announceAccepted(requests, (files) => {
      const body = { transferId, files, ...(transferId === undefined && newEncryption(state)) };
      const facts = JSON.stringify([state.id, state.revision, body]);
      const idempotencyKey = createHash('sha256').update(facts).digest('hex');
      return retries.run(() => api.call(initUploads, { body, idempotencyKey, signal }), signal);
    });
    const ids = answer.uploads.map(({ uploadId }, place) => [batch[place]!, uploadId] as const);
    const { transferId: announcedId, token: linkToken } = answer;
    await journal.recordAnnounced({ transferId: announcedId, linkToken, uploadIds: Object.fromEntries(ids) });
  }
}

type Sending = { source: ChunkSource; onWhole: (file: OutgoingFile) => void };

async function sendChunks(
  context: SendContext,
  files: OutgoingFile[],
  { source, onWhole }: Sending,
): Promise<void> {
  const { retries, signal, screen } = context;
  const maxLanes = lanesFor(files);
  const send = createChunkSend(context, source);
  const sender = new ChunkSender(files, { send, maxLanes, retries, onWhole });
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  screen.follow(() => ({
    verb: 'Sending',
    bytes: Math.min(totalBytes, sender.sentBytes),
    totalBytes,
    files: sender.wholeFiles,
    totalFiles: files.length,
  }));
  const stop = () => sender.stop(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await sender.run();
  } finally {
    signal.removeEventListener('abort', stop);
    screen.stop();
  }
}

/** Huge files have larger chunks, so send fewer at once. */
function lanesFor(files: OutgoingFile[]): number {
  const largest = files.reduce((most, { chunkSize }) => Math.max(most, chunkSize), 1);
  return Math.max(1, Math.min(MAX_LANES, Math.floor(MAX_CHUNK_BYTES / largest)));
}

function createChunkSend({ api, retries }: SendContext, source: ChunkSource) {
  return (task: ChunkTask<OutgoingFile>, { signal, onProgress }: SendOptions) =>
    source.with(task, signal, async ({ bytes, crc }) => {
      const { uploadId, source: sent } = task.file;
      try {
        const response = await api.send({
          ...chunkRequest({ uploadId, index: task.index, crc32: crc }),
          body: bytes,
          signal,
          onSent: (sentBytes) => {
            onProgress(sentBytes);
            if (sentBytes > PROOF_BYTES) retries.succeed();
          },
        });
        return uploadChunk.response.parse(JSON.parse(await readText(response, MAX_RESPONSE_BYTES)));
      } catch (error) {
        if (sent.fileId !== undefined && isStoredAlready(error)) return undefined;
        throw error;
      }
    });
}

async function complete(context: SendContext): Promise<void> {
  const { journal, api, retries, signal } = context;
  const { state } = journal;
  const { transferId, files, update } = state;
  if (update) return completeUpdate(context, update);
  const settings = serverSettings(state);
  for (let start = state.completedFiles; start < files.length; start += MAX_FILES_PER_CALL) {
    const uploadIds = state.uploadIds.slice(start, start + MAX_FILES_PER_CALL).map((id) => id!);
    const body = { ...settings, transferId: transferId!, uploadIds, fileCount: files.length };
    const { token } = await retries.run(() => api.call(completeUploads, { body, signal }), signal);
    await journal.recordCompleted(start + uploadIds.length, token);
  }
}

/** Only `publish` ends an update, so the journal records nothing before it. */
async function completeUpdate(context: SendContext, update: SendUpdate): Promise<void> {
  const { journal, api, retries, signal } = context;
  const { id, revision, transferId, files } = journal.state;
  for (let start = 0; start < files.length; start += MAX_FILES_PER_CALL) {
    const uploadIds = journal.state.uploadIds.slice(start, start + MAX_FILES_PER_CALL).map((each) => each!);
    const body = { transferId: transferId!, uploadIds };
    await retries.run(() => api.call(completeUploads, { body, signal }), signal);
  }
  await publish(context, update, { draftId: transferId!, key: `${id} ${revision}` });
  await journal.recordCompleted(files.length, update.token);
}

async function restart({ journal, screen }: SendContext): Promise<void> {
  // To begin again would discard the other update, whose process would do the same.
  if (journal.state.update)
    throw new UpdateEndedError(
      'The server no longer has this update: another one has begun, or nothing arrived for a day.',
    );
  screen.say(
    'The server has deleted this upload because nothing arrived for a day. Sending everything again.',
  );
  await journal.recordRestart();
}

/** Deletes an unfinished transfer on the server, but not one that is ready. Throws ApiError, NetworkError. */
export async function discardDraft(api: Api, id: string): Promise<void> {
  const params = { id };
  const isReady = await api.call(getTransfer, { params }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    },
  );
  if (!isReady) await ignoreUnknown(api.call(deleteTransfer, { params }));
}

async function ignoreUnknown(call: Promise<void>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}
