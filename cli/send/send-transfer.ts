import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ApiError } from '../../client/api-error.ts';
import { ChunkSender, type SendOptions } from '../../client/chunk-sender.ts';
import type { Retries } from '../../client/retries.ts';
import { type ChunkTask, chunkRequest, toUploadRequest } from '../../client/upload-plan.ts';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import { fetchPages } from '../../contracts/transfers/file-pages.ts';
import { deleteTransfer, getTransfer } from '../../contracts/transfers/transfers.ts';
import {
  abortUpload,
  completeUploads,
  initUploads,
  listChunks,
  listUploads,
  type UnfinishedUpload,
} from '../../contracts/transfers/uploads.ts';
import { shareLink } from '../../contracts/values/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { CommandError, EXIT } from '../exits.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';
import type { Screen } from '../progress/screen.ts';
import { readableReason } from './collect-files.ts';
import type { Journal } from './journal.ts';
import { mimeTypeOf } from './mime-type.ts';
import { type OutgoingFile, toOutgoing } from './outgoing-file.ts';
import { ChunkReader } from './read-chunk.ts';

export type SendCourse = {
  api: Api;
  journal: Journal;
  retries: Retries;
  screen: Screen;
  signal: AbortSignal;
};
export type SentTransfer = { id: string; token: string; link: string; files: number; bytes: number };

/** As often as the server may have lost what it had taken before it is taken for broken. */
const ROUNDS = 3;
const MAX_LANES = 8;
/** All chunks in memory at once. */
const LANES_BYTES = 64 * MIB;
const MOVED_BYTES = MIB;
const ANSWER_MAX = 64 * 1024;

/**
 * Takes the files of a journal to a share link, from wherever an earlier run left them; the journal goes at the end.
 * Throws ApiError, CommandError, or the signal's reason; then the journal stays.
 */
export async function sendTransfer(course: SendCourse): Promise<SentTransfer> {
  const { journal } = course;
  const { sending } = journal;
  if (sending.token === undefined) await noteChangedFiles(course);
  for (let round = 1; ; round += 1) {
    try {
      if (sending.token === undefined) await sendFiles(course);
      await journal.remove();
      return describeSent(course);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : undefined;
      if (round === ROUNDS) throw error;
      if (code === 'upload_not_found' || code === 'transfer_not_found') await startAnew(course);
      else if (code !== 'chunks_missing') throw error;
    }
  }
}

async function sendFiles(course: SendCourse): Promise<void> {
  const { sending } = course.journal;
  const received = await listReceived(course);
  await announce(course);
  const files = sending.files.map((file, index) => {
    const uploadId = sending.uploadIds[index]!;
    return toOutgoing(file, uploadId, received.get(uploadId));
  });
  await sendChunks(course, files);
  await complete(course);
}

function describeSent({ journal: { sending }, api }: SendCourse): SentTransfer {
  const token = sending.token!;
  return {
    id: sending.transferId!,
    token,
    link: shareLink(api.connection.server, token),
    files: sending.files.length,
    bytes: sending.files.reduce((sum, { size }) => sum + size, 0),
  };
}

/** A file that is not what it was when it was announced is sent from its beginning. */
async function noteChangedFiles({ journal, api, screen, retries, signal }: SendCourse): Promise<void> {
  const { sending } = journal;
  for (let index = sending.completedFiles; index < sending.files.length; index += 1) {
    const file = sending.files[index]!;
    const found = await stat(file.path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(EXIT.failed, `${file.path}: ${readableReason(error)} any more.`);
    });
    if (found.size === file.size && found.mtimeMs === file.mtimeMs) continue;
    screen.say(`${file.path} changed meanwhile: it is sent as it is now, from its beginning.`);
    const uploadId = sending.uploadIds[index];
    if (uploadId)
      await retries.run(() => ignoreUnknown(api.call(abortUpload, { params: { uploadId }, signal })), signal);
    await journal.noteChanged(index, { ...file, size: found.size, mtimeMs: found.mtimeMs });
  }
}

/** The chunks that are there, by upload. Throws ApiError `upload_not_found` when one has lapsed. */
async function listReceived({ journal, api, retries, signal }: SendCourse): Promise<Map<string, number[]>> {
  const { uploadIds, completedFiles } = journal.sending;
  const received = new Map<string, number[]>();
  if (uploadIds.every((id) => id === undefined)) return received;
  const fetchPage = (cursor?: string) =>
    retries.run(() => api.callPage(listUploads, { query: { cursor }, signal }), signal);
  const first = await fetchPage();
  const note = (uploads: UnfinishedUpload[]) => {
    for (const { uploadId, receivedChunks } of uploads) received.set(uploadId, receivedChunks);
  };
  note(first.items);
  for await (const uploads of fetchPages(first.nextCursor, fetchPage)) note(uploads);
  for (const [index, uploadId] of uploadIds.entries()) {
    if (uploadId === undefined || received.has(uploadId)) continue;
    // Complete, or lapsed; of those we were told of we know.
    const chunks =
      index < completedFiles
        ? allChunks(journal, index)
        : (await retries.run(() => api.call(listChunks, { params: { uploadId }, signal }), signal)).chunks;
    received.set(uploadId, chunks);
  }
  return received;
}

function allChunks({ sending }: Journal, index: number): number[] {
  const { totalChunks } = toOutgoing(sending.files[index]!, '');
  return Array.from({ length: totalChunks }, (_, chunk) => chunk);
}

async function announce({ journal, api, retries, signal }: SendCourse): Promise<void> {
  const { sending } = journal;
  const fresh = [...sending.files.keys()].filter((index) => sending.uploadIds[index] === undefined);
  for (let start = 0; start < fresh.length; start += MAX_FILES_PER_CALL) {
    const batch = fresh.slice(start, start + MAX_FILES_PER_CALL);
    const files = batch.map((index) => {
      const file = sending.files[index]!;
      return toUploadRequest({ ...file, mimeType: mimeTypeOf(file.relativePath) });
    });
    const body = { transferId: sending.transferId, files };
    const facts = JSON.stringify([sending.id, sending.revision, body]);
    const idempotencyKey = createHash('sha256').update(facts).digest('hex');
    const answer = await retries.run(() => api.call(initUploads, { body, idempotencyKey, signal }), signal);
    const ids = answer.uploads.map(({ uploadId }, place) => [batch[place]!, uploadId] as const);
    await journal.noteAnnounced(answer.transferId, Object.fromEntries(ids));
  }
}

async function sendChunks(course: SendCourse, files: OutgoingFile[]): Promise<void> {
  const { retries, signal, screen } = course;
  const maxLanes = lanesFor(files);
  const sender = new ChunkSender(files, { send: createChunkSend(course), maxLanes, retries });
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

/** As many as their chunks fit into memory; the chunks of huge files are larger. */
function lanesFor(files: OutgoingFile[]): number {
  const largest = files.reduce((most, { chunkSize }) => Math.max(most, chunkSize), 1);
  return Math.max(1, Math.min(MAX_LANES, Math.floor(LANES_BYTES / largest)));
}

function createChunkSend({ api, retries }: SendCourse) {
  const reader = new ChunkReader();
  return (task: ChunkTask<OutgoingFile>, { signal, onProgress }: SendOptions): Promise<void> =>
    reader.with(task, async ({ bytes, crc }) => {
      const { uploadId } = task.file;
      const response = await api.send({
        ...chunkRequest({ uploadId, index: task.index, crc32: crc }),
        body: bytes,
        signal,
        onSent: (sentBytes) => {
          onProgress(sentBytes);
          // More than the system keeps for a line that is dead.
          if (sentBytes > MOVED_BYTES) retries.succeed();
        },
      });
      await readText(response, ANSWER_MAX);
    });
}

async function complete({ journal, api, retries, signal }: SendCourse): Promise<void> {
  const { sending } = journal;
  const { settings, transferId, files } = sending;
  for (let start = sending.completedFiles; start < files.length; start += MAX_FILES_PER_CALL) {
    const uploadIds = sending.uploadIds.slice(start, start + MAX_FILES_PER_CALL).map((id) => id!);
    const body = { ...settings, transferId: transferId!, uploadIds, fileCount: files.length };
    const { token } = await retries.run(() => api.call(completeUploads, { body, signal }), signal);
    await journal.noteCompleted(start + uploadIds.length, token);
  }
}

async function startAnew({ journal, screen }: SendCourse): Promise<void> {
  screen.say('The server keeps what is unfinished for a day and has let go of this: sending from the start.');
  await journal.noteAnew();
}

/**
 * Gives what is unfinished up on the server too; a transfer that is ready after all stays. Throws ApiError,
 * NetworkError.
 */
export async function discardDraft(api: Api, id: string): Promise<void> {
  const params = { id };
  const isReady = await api.call(getTransfer, { params }).then(
    () => true,
    () => false,
  );
  if (!isReady) await ignoreUnknown(api.call(deleteTransfer, { params }));
}

async function ignoreUnknown(call: Promise<void>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}
