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
import { addedAt } from './file-times.ts';

type ZipSummary = {
  sizeBytes: number;
  /** Strong and quoted. Depends only on what is announced before the bytes. */
  etag: string;
  /** The previous release's tag, if its zip of these files has the same bytes. Remove it one release after 0044. */
  formerTag?: string | undefined;
  /** Epoch milliseconds. */
  lastModifiedAt: number;
};

/** Immutable and shared by all downloads of the zip. */
export type ZipPlan = ZipSummary & { layout: ZipLayout<StoredEntryTable> };

const ATTEMPTS = 3;

/**
 * Reads page by page and yields in between, so it starts over if files are added or updated meanwhile. Saves the
 * summary of a long list in the transfer's row. Throws AppError `transfer_not_found`, or `unavailable` while files keep
 * being added.
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
      await updateZipSummary(db, transferId, { version, summary: summarize(plan, fileCount) });
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

/** As stored in `transfers.zipSummary`. */
type StoredSummary = ZipSummary & { fileCount: number };

/** Returns undefined if it is not stored, or files have been added since. */
export function readZipSummary({
  zipSummary,
  fileCount,
}: Pick<TransferRow, 'zipSummary' | 'fileCount'>): ZipSummary | undefined {
  if (zipSummary === null) return undefined;
  const { fileCount: summarizedCount, ...summary } = JSON.parse(zipSummary) as StoredSummary;
  return summarizedCount === fileCount ? summary : undefined;
}

function summarize({ layout: _layout, ...summary }: ZipPlan, fileCount: number): StoredSummary {
  return { ...summary, fileCount };
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
  const tag = new ZipTag(describe);
  let formerTag: ZipTag | undefined = new ZipTag(describeFormerly);
  let lastModifiedAt = 0;
  for await (const page of pages) {
    for (const file of page) {
      tag.add(file);
      if (isAsBefore(file)) formerTag?.add(file);
      else formerTag = undefined;
      paths.push(file.relativePath);
      table.add(toEntry(file));
      lastModifiedAt = Math.max(lastModifiedAt, addedAt(file));
    }
    // SQLite answers synchronously, so yield to the event loop.
    await setImmediate();
    signal?.throwIfAborted();
  }
  for (const name of await runInSlices(nameEntriesInSteps(paths))) table.addName(name);
  table.trim();
  const layout = layOutZip(table);
  const { sizeBytes } = layout;
  return { sizeBytes, etag: tag.toText(), formerTag: formerTag?.toText(), lastModifiedAt, layout };
}

function toEntry(file: ZippedFile) {
  return {
    ...file,
    modifiedAt: file.modifiedAt ?? addedAt(file),
    isTimeKnown: file.modifiedAt !== null,
    isExecutable: file.isExecutable === 1,
  };
}

/** A digest of one line per file. Never change the lines: downloads must be able to resume after an upgrade. */
class ZipTag {
  readonly #digest = createHash('sha256');
  readonly #describe: (file: ZippedFile) => string;
  #isEmpty = true;

  constructor(describeLine: (file: ZippedFile) => string) {
    this.#describe = describeLine;
  }

  add(file: ZippedFile): void {
    this.#digest.update(`${this.#isEmpty ? '' : '\n'}${this.#describe(file)}`);
    this.#isEmpty = false;
  }

  toText(): string {
    return `"zip-${this.#digest.digest('base64url').slice(0, 27)}"`;
  }
}

function describe(file: ZippedFile): string {
  const { id, relativePath, sizeBytes, modifiedAt, isExecutable } = file;
  const time = modifiedAt === null ? `added ${addedAt(file)}` : modifiedAt;
  return `${id}\t${relativePath}\t${sizeBytes}\t${time}${isExecutable === 1 ? '\tx' : ''}`;
}

/** The line of the previous release. */
function describeFormerly({ id, relativePath, sizeBytes, crc32, uploadedAt }: ZippedFile): string {
  return `${id}\t${relativePath}\t${sizeBytes}\t${crc32}\t${uploadedAt}`;
}

/** Whether the previous release wrote the same entry: with the upload's time and no extended timestamp. */
function isAsBefore(file: ZippedFile): boolean {
  return file.modifiedAt === null && file.isExecutable === 0 && addedAt(file) === file.uploadedAt;
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
  'announcedAt',
  'modifiedAt',
  'isExecutable',
] as const satisfies (keyof FileRow)[];

export type ZippedFile = Pick<FileRow, (typeof ZIPPED)[number]>;

export const listZippedFiles = prepare((db, transferId: string, after: number, upTo: number) =>
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

async function updateZipSummary(
  db: Db,
  transferId: string,
  { version, summary }: { version: number; summary: StoredSummary },
): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ zipSummary: JSON.stringify(summary) })
    .where('id', '=', transferId)
    .where('fileCount', '=', summary.fileCount)
    .where('version', '=', version)
    .execute();
}
