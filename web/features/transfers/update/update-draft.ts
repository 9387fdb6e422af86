import { ApiError } from '../../../../client/api-error.ts';
import { createUniqueKey } from '../../../../client/call.ts';
import { Retries } from '../../../../client/retries.ts';
import { MAX_FILES_PER_CALL, planChunks } from '../../../../contracts/plans/limits.ts';
import { completeUploads, listChunks } from '../../../../contracts/transfers/uploads/uploads.ts';
import {
  beginUpdate,
  discardUpdate,
  listStagedFiles,
  planUpdate,
  publishUpdate,
  type StagedFile,
  type TransferVersion,
} from '../../../../contracts/transfers/versions.ts';
import { fetchPages } from '../../../../contracts/values/paging.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import { call, callPage } from '../../../api/call.ts';
import { crc32 } from '../../../uploading/engine/crc32.ts';
import { UploadEngine } from '../../../uploading/engine/upload-engine.ts';
import { createItem, fingerprint, type LocalUpload } from '../../../uploading/engine/upload-item.ts';
import { createBrowserTransport, type UploadTransport } from '../../../uploading/engine/upload-transport.ts';
import type { UpdatePlan } from './update-plan.ts';

/** Smaller files are sent again, which takes no longer than to ask which of their chunks arrived. */
const RESUMED_BYTES = 256 * KIB;
const CALLS_AT_ONCE = 6;

type Update = { transferId: string; plan: UpdatePlan; signal: AbortSignal };

/** The transfer was updated since the files were compared with it. */
export class OutdatedUpdateError extends Error {
  override name = 'OutdatedUpdateError';
}

/**
 * The files of the next version, ready to be sent. Continues an interrupted update with the same files; anything else in
 * the draft is discarded. Throws ApiError, NetworkError, OutdatedUpdateError, or the signal's reason.
 */
export async function prepareDraft(update: Update): Promise<{ engine: UploadEngine; draftId: string }> {
  const { transferId, plan, signal } = update;
  const draftId = await openDraft(update);
  const staged = await listStaged(transferId, signal);
  const complete = new Set(staged.filter(({ isComplete }) => isComplete).map(fingerprint));
  const engine = new UploadEngine(createUpdateTransport(), { joins: draftId });
  engine.add(plan.send.filter((file) => !complete.has(fingerprint(file))).map(createItem));
  const open = staged.filter(({ isComplete }) => !isComplete);
  const missing = engine.adopt(await describeUnfinished(open, { draftId, signal }), {
    completedFiles: complete.size,
  });
  // A file that is not sent would keep the update from being published.
  engine.abandon(missing);
  return { engine, draftId };
}

async function openDraft({ transferId, plan, signal }: Update): Promise<string> {
  const params = { id: transferId };
  const begin = async (query: { anew?: 'true' }) => {
    const { draftId, version } = await call(beginUpdate, { params, query, signal });
    if (version !== plan.version) throw new OutdatedUpdateError();
    return draftId;
  };
  const record = readRecord(transferId);
  const key = identify(plan);
  if (record?.key === key) {
    const draftId = await begin({});
    if (draftId === record.draftId) return draftId;
  }
  const draftId = await begin({ anew: 'true' });
  writeRecord(transferId, { draftId, key });
  return draftId;
}

/** Completing files publishes nothing. */
function createUpdateTransport(): UploadTransport {
  const { publish: _, ...transport } = createBrowserTransport();
  return {
    ...transport,
    complete: ({ transferId, uploadIds }) => call(completeUploads, { body: { transferId, uploadIds } }),
  };
}

async function listStaged(id: string, signal: AbortSignal): Promise<StagedFile[]> {
  const fetchPage = (cursor?: string) =>
    callPage(listStagedFiles, { params: { id }, query: { cursor }, signal });
  const first = await fetchPage();
  const staged = [...first.items];
  for await (const page of fetchPages(first.nextCursor, fetchPage)) staged.push(...page);
  return staged;
}

type Draft = { draftId: string; signal: AbortSignal };

async function describeUnfinished(staged: StagedFile[], { draftId, signal }: Draft): Promise<LocalUpload[]> {
  const described: LocalUpload[] = [];
  const waiting = [...staged];
  const work = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      const { uploadId, relativePath, size } = file;
      const { chunks } =
        size < RESUMED_BYTES
          ? { chunks: [] }
          : await call(listChunks, { params: { uploadId }, query: {}, signal });
      described.push({
        uploadId,
        transferId: draftId,
        relativePath,
        fileName: relativePath.slice(relativePath.lastIndexOf('/') + 1),
        mimeType: '',
        fileSize: size,
        ...planChunks(size),
        receivedChunks: chunks,
        addsTo: null,
        sharedToken: null,
        encryption: null,
        createdAt: '',
        lastActivityAt: '',
      });
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  return described;
}

/** Publishes a draft whose files have arrived, unless another update has discarded it. Throws like `prepareDraft`. */
export async function publishDraft(
  { transferId, plan, signal }: Update,
  draftId: string,
): Promise<TransferVersion> {
  const retries = new Retries({
    policy: { longestWaitMs: 5_000, longestLimitSeconds: 30, canSignIn: false },
    giveUp: { afterSeconds: 60, toError: (last) => last as Error },
    onFailure: () => {},
  });
  const params = { id: transferId };
  const { removed, reused, version } = plan;
  const count = Math.max(removed.length, reused.length);
  for (let start = 0; start < count; start += MAX_FILES_PER_CALL) {
    const end = start + MAX_FILES_PER_CALL;
    const body = { draftId, removed: removed.slice(start, end), reused: reused.slice(start, end) };
    await retries.run(() => call(planUpdate, { params, body, signal }), signal);
  }
  // The same for all attempts, so that one whose answer was lost is not refused.
  const idempotencyKey = createUniqueKey();
  try {
    const published = await retries.run(
      () => call(publishUpdate, { params, body: { version, draftId }, idempotencyKey, signal }),
      signal,
    );
    writeRecord(transferId, undefined);
    return published;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'update_outdated') throw new OutdatedUpdateError();
    throw error;
  }
}

/** Deletes what this browser has sent. Throws ApiError, NetworkError. */
export async function discardDraft(transferId: string): Promise<void> {
  const draftId = readRecord(transferId)?.draftId;
  writeRecord(transferId, undefined);
  await call(discardUpdate, { params: { id: transferId }, query: { draftId } });
}

/** The draft that this browser fills, and the files and changes it is for. */
type Record = { draftId: string; key: string };

/** Sizes and paths alone could be those of files that have changed since. */
function identify({ version, send, removed, reused }: UpdatePlan): string {
  const files = send.map(({ relativePath, size, file }) => [relativePath, size, file.lastModified]);
  const text = JSON.stringify([version, files, removed, reused]);
  return `${text.length}:${crc32(new TextEncoder().encode(text)).toString(16)}`;
}

function recordName(transferId: string): string {
  return `sendwell-update-${transferId}`;
}

function readRecord(transferId: string): Record | undefined {
  try {
    return JSON.parse(localStorage.getItem(recordName(transferId)) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function writeRecord(transferId: string, record: Record | undefined): void {
  try {
    if (record) localStorage.setItem(recordName(transferId), JSON.stringify(record));
    else localStorage.removeItem(recordName(transferId));
  } catch {
    // Storage may be disabled: an interrupted update starts over.
  }
}
