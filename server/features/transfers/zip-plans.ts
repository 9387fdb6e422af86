import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { FILES_PER_PAGE } from '../../../contracts/values/paging.ts';
import { nameEntriesInSteps } from '../../../contracts/zip/entry-names.ts';
import { layOutZip, type ZipLayout } from '../../../contracts/zip/layout.ts';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { readFileWindows } from '../../platform/db/queries/file-windows.ts';
import { prepare } from '../../platform/db/queries/prepared.ts';
import type { FileRow, TransferRow } from '../../platform/db/schema.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { runInSlices } from '../../platform/lib/concurrency/time-slices.ts';
import { StoredEntryTable } from '../../platform/zip/stored-entries.ts';

type ZipSummary = {
  sizeBytes: number;
  /** Strong and quoted. */
  etag: string;
  /** Epoch milliseconds. */
  lastModifiedAt: number;
};

/** Immutable and shared by all downloads of the zip. */
export type ZipPlan = ZipSummary & { layout: ZipLayout<StoredEntryTable> };

const ATTEMPTS = 3;

/**
 * Reads page by page and yields in between, so it starts over if files are added or updated meanwhile. Saves the summary of a
 * long list in the transfer's row. Throws AppError `transfer_not_found`, or `unavailable` while files keep being
 * added.
 */
export async function planWholeZip(
  db: Db,
  transferId: string,
  signal?: AbortSignal,
): Promise<{ plan: ZipPlan; fileCount: number }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const state = await findFileState(db, transferId);
    if (state === undefined) throw new AppError('transfer_not_found');
    const { fileCount, version } = state;
    const plan = await planZip(readAllFiles(db, transferId), signal);
    const after = await findFileState(db, transferId);
    if (after?.fileCount !== fileCount || after.version !== version) continue;
    if (isLongList({ fileCount }))
      await updateZipSummary(db, transferId, { ...toColumns(plan, fileCount), version });
    return { plan, fileCount };
  }
  throw new AppError('unavailable', { retryAfterSeconds: 10 });
}

/** `positions` must be ascending. Throws AppError `file_not_found` if one is missing. */
export function planSelection(db: Db, transferId: string, positions: number[]): Promise<ZipPlan> {
  return planZip(readFilesAt(db, transferId, positions));
}

export function isLongList({ fileCount }: { fileCount: number }): boolean {
  return fileCount > FILES_PER_PAGE;
}

/** Returns undefined if files have been added since. */
export function readZipSummary(transfer: ZipSummaryColumns & { fileCount: number }): ZipSummary | undefined {
  const { zipSizeBytes, zipTag, zipModifiedAt, zipFileCount, fileCount } = transfer;
  if (zipFileCount !== fileCount || zipSizeBytes === null || zipTag === null) return undefined;
  return { sizeBytes: zipSizeBytes, etag: zipTag, lastModifiedAt: zipModifiedAt ?? 0 };
}

function toColumns({ sizeBytes, etag, lastModifiedAt }: ZipPlan, fileCount: number) {
  return {
    zipSizeBytes: sizeBytes,
    zipTag: etag,
    zipModifiedAt: lastModifiedAt,
    zipFileCount: fileCount,
  };
}

function readAllFiles(db: Db, transferId: string): AsyncGenerator<ZippedFile[]> {
  const read = (after: number, upTo: number) => listZippedFiles(db, transferId, after, upTo);
  return readFileWindows(db, { transferId, after: -1, read });
}

const POSITIONS_PER_QUERY = 1_000;

async function* readFilesAt(db: Db, transferId: string, positions: number[]): AsyncGenerator<ZippedFile[]> {
  for (let start = 0; start < positions.length; start += POSITIONS_PER_QUERY) {
    const wanted = positions.slice(start, start + POSITIONS_PER_QUERY);
    const page = await listZippedFilesAt(db, transferId, wanted);
    if (page.length < wanted.length) throw new AppError('file_not_found');
    yield page;
  }
}

/** Yields to the event loop between pages. */
export async function planZip(pages: AsyncIterable<ZippedFile[]>, signal?: AbortSignal): Promise<ZipPlan> {
  const table = new StoredEntryTable();
  const paths: string[] = [];
  const manifest = createHash('sha256');
  let lastModifiedAt = 0;
  for await (const page of pages) {
    for (const file of page) {
      manifest.update(`${paths.length === 0 ? '' : '\n'}${describe(file)}`);
      paths.push(file.relativePath);
      table.add({ ...file, modifiedAt: file.uploadedAt });
      lastModifiedAt = Math.max(lastModifiedAt, file.uploadedAt);
    }
    // SQLite answers synchronously, so yield to the event loop.
    await setImmediate();
    signal?.throwIfAborted();
  }
  for (const name of await runInSlices(nameEntriesInSteps(paths))) table.addName(name);
  table.trim();
  const layout = layOutZip(table);
  const etag = `"zip-${manifest.digest('base64url').slice(0, 27)}"`;
  return { sizeBytes: layout.sizeBytes, etag, lastModifiedAt, layout };
}

/** The zip's ETag is a digest of these lines. Never change them: downloads must be able to resume after an upgrade. */
function describe({ id, relativePath, sizeBytes, crc32, uploadedAt }: ZippedFile): string {
  return `${id}\t${relativePath}\t${sizeBytes}\t${crc32}\t${uploadedAt}`;
}

/** Avoids measuring the zip again for each file added. */
const MEASURE_DELAY_MS = 30 * SECOND_MS;

export const measureZipJob = defineJob<Context, { transferId: string }>({
  name: 'measure-zip',
  payload: z.object({ transferId: z.string() }),
  oneAtATime: true,
  run: async ({ db }, { transferId }, { signal }) => {
    if ((await findFileState(db, transferId)) !== undefined) await planWholeZip(db, transferId, signal);
  },
});

/** Call it in the transaction that makes a transfer ready or adds files to it. `fileCount` is the new total. */
export async function enqueueZipMeasure(
  trx: Trx,
  { transferId, fileCount, isAddition }: { transferId: string; fileCount: number; isAddition: boolean },
  now: number,
): Promise<void> {
  if (!isLongList({ fileCount })) return;
  const runAt = isAddition ? now + MEASURE_DELAY_MS : 0;
  await enqueue(trx, measureZipJob, { transferId }, { uniqueKey: transferId, runAt });
}

const ZIPPED = [
  'id',
  'position',
  'relativePath',
  'sizeBytes',
  'crc32',
  'storageKey',
  'offset',
  'uploadedAt',
] as const satisfies (keyof FileRow)[];

type ZippedFile = Pick<FileRow, (typeof ZIPPED)[number]>;

const listZippedFiles = prepare((db, transferId: string, after: number, upTo: number) =>
  db
    .selectFrom('files')
    .select(ZIPPED)
    .where('transferId', '=', transferId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position'),
);

function listZippedFilesAt(db: Db, transferId: string, positions: number[]): Promise<ZippedFile[]> {
  return db
    .selectFrom('files')
    .select(ZIPPED)
    .where('transferId', '=', transferId)
    .where('position', 'in', positions)
    .orderBy('position')
    .execute();
}

type FileState = Pick<TransferRow, 'fileCount' | 'version'>;

/** Within a version, ready transfers only gain files, so both numbers together identify the state of the zip. */
async function findFileState(db: Db, transferId: string): Promise<FileState | undefined> {
  return db
    .selectFrom('transfers')
    .select(['fileCount', 'version'])
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .executeTakeFirst();
}

type ZipSummaryColumns = Pick<TransferRow, 'zipSizeBytes' | 'zipTag' | 'zipModifiedAt' | 'zipFileCount'>;

async function updateZipSummary(
  db: Db,
  transferId: string,
  { version, ...summary }: ZipSummaryColumns & { zipFileCount: number; version: number },
): Promise<void> {
  await db
    .updateTable('transfers')
    .set(summary)
    .where('id', '=', transferId)
    .where('fileCount', '=', summary.zipFileCount)
    .where('version', '=', version)
    .execute();
}
