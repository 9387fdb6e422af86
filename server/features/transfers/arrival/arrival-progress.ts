import { setImmediate } from 'node:timers/promises';
import { ARRIVING_FILES_SHOWN, type ArrivalProgress } from '../../../../contracts/transfers/arrival.ts';
import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { WINDOW } from '../../../platform/db/queries/file-windows.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { type BlobStore, chunkLengthAt } from '../../../platform/storage/blob-store.ts';
import {
  type ArrivingUpload,
  countShownFiles,
  findNextOpenPosition,
  listArrivingUploads,
} from './arriving-uploads.ts';

export type ArrivalSnapshot = {
  progress: ArrivalProgress;
  /** Changes whenever files are added or withdrawn. */
  filesKey: string;
  /** By upload id, of the first arriving files. No bytes are known of files that are not listed. */
  receivedBytes: ReadonlyMap<string, number>;
};

/** Pages that poll the same transfer share one read within this time. */
const SHARED_MS = SECOND_MS;
const SPEED_OVER_MS = 10 * SECOND_MS;
const KEPT_TRANSFERS = 1_000;
const READ_AT_ONCE = 16;

type Sample = { at: number; receivedBytes: number };

type Entry = {
  readAt: number;
  snapshot: Promise<ArrivalSnapshot>;
  samples: Sample[];
  /** No open upload is before this position: files are completed roughly in order. */
  firstOpen: number;
};

type Deps = Pick<Context, 'db' | 'blobs'>;

/** By transfer id. */
const entriesByDb = new WeakMap<Db, Map<string, Entry>>();

/**
 * How much of a transfer has arrived, at most a second old. Its cost does not grow with the number of readers or files.
 * Throws AppError `transfer_not_found`.
 */
export function readArrival(context: Deps, transferId: string): Promise<ArrivalSnapshot> {
  const entries = entriesByDb.get(context.db) ?? new Map<string, Entry>();
  entriesByDb.set(context.db, entries);
  const known = entries.get(transferId);
  const now = performance.now();
  if (known && now - known.readAt < SHARED_MS) return known.snapshot;
  const entry: Entry = {
    readAt: now,
    samples: known?.samples ?? [],
    firstOpen: known?.firstOpen ?? -1,
    snapshot: Promise.resolve(undefined as never),
  };
  entry.snapshot = readSnapshot(context, transferId, entry);
  entry.snapshot.catch(() => entries.delete(transferId));
  // Moves it to the end: the first one is the least recently used.
  entries.delete(transferId);
  entries.set(transferId, entry);
  if (entries.size > KEPT_TRANSFERS) entries.delete(entries.keys().next().value!);
  return entry.snapshot;
}

async function readSnapshot(context: Deps, transferId: string, entry: Entry): Promise<ArrivalSnapshot> {
  const transfer = await findTransfer(context.db, transferId);
  if (!transfer) throw new AppError('transfer_not_found');
  const uploads = transfer.status === 'ready' ? [] : await listFirstOpen(context.db, transferId, entry);
  const received = await readReceived(context.blobs, uploads);
  const { fileCount, totalBytes } = countShownFiles({ ...transfer, status: 'arriving' });
  const receivedBytes = received.reduce((sum, file) => sum + file.receivedBytes, transfer.totalBytes);
  const speed = measureSpeed(entry, receivedBytes);
  const leftBytes = Math.max(0, totalBytes - receivedBytes);
  const isReady = transfer.status === 'ready';
  const progress: ArrivalProgress = {
    status: isReady ? 'ready' : transfer.status === 'draft' ? 'stopped' : 'arriving',
    receivedBytes: Math.min(receivedBytes, totalBytes),
    totalBytes,
    fileCount: isReady ? transfer.fileCount : fileCount,
    arrivedFiles: transfer.fileCount,
    bytesPerSecond: isReady ? 0 : speed,
    secondsLeft: !isReady && speed > 0 ? Math.ceil(leftBytes / speed) : null,
    lastActivityAt: transfer.lastActivityAt === null ? null : toIso(Number(transfer.lastActivityAt)),
    startsEarly: context.blobs.readsOpenUploads,
    listVersion: `${transfer.fileCount}-${fileCount}-${transfer.lastUploadId?.slice(0, 8) ?? ''}`,
    files: received,
  };
  const filesKey = `${fileCount}-${transfer.lastUploadId ?? ''}`;
  return {
    progress,
    filesKey,
    receivedBytes: new Map(received.map((file) => [file.id, file.receivedBytes])),
  };
}

function measureSpeed(entry: Entry, receivedBytes: number): number {
  const at = performance.now();
  entry.samples = [
    ...entry.samples.filter((sample) => at - sample.at <= SPEED_OVER_MS),
    { at, receivedBytes },
  ];
  const first = entry.samples[0]!;
  const seconds = (at - first.at) / SECOND_MS;
  return seconds < 0.5 ? 0 : Math.max(0, Math.round((receivedBytes - first.receivedBytes) / seconds));
}

async function listFirstOpen(db: Db, transferId: string, entry: Entry): Promise<ArrivingUpload[]> {
  const first = await findNextOpenPosition(db, transferId, entry.firstOpen - 1);
  const uploads: ArrivingUpload[] = [];
  for (let from = first; from !== undefined && uploads.length < ARRIVING_FILES_SHOWN; ) {
    const upTo = from - 1 + WINDOW;
    uploads.push(...(await listArrivingUploads(db, transferId, from - 1, upTo)));
    // SQLite blocks this thread, so let requests run in between.
    await setImmediate();
    from =
      uploads.length < ARRIVING_FILES_SHOWN ? await findNextOpenPosition(db, transferId, upTo) : undefined;
  }
  if (first !== undefined) entry.firstOpen = first;
  return uploads.slice(0, ARRIVING_FILES_SHOWN);
}

async function readReceived(blobs: BlobStore, uploads: ArrivingUpload[]): Promise<ArrivalProgress['files']> {
  const files: ArrivalProgress['files'] = [];
  const waiting = uploads.entries();
  const readNext = async () => {
    for (const [index, upload] of waiting)
      files[index] = { id: upload.id, ...(await countBytes(blobs, upload)) };
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readNext));
  return files;
}

async function countBytes(
  blobs: BlobStore,
  upload: ArrivingUpload,
): Promise<{ receivedBytes: number; availableBytes: number }> {
  if (upload.chunkCount === 0) return { receivedBytes: 0, availableBytes: 0 };
  let receivedBytes = 0;
  let availableBytes = 0;
  for (const { index } of await blobs.listChunks(upload)) {
    const length = chunkLengthAt(upload, index);
    receivedBytes += length;
    if (availableBytes === index * upload.chunkSize) availableBytes += length;
  }
  return { receivedBytes, availableBytes: blobs.readsOpenUploads ? availableBytes : 0 };
}

type FoundTransfer = Pick<
  TransferRow,
  'status' | 'fileCount' | 'totalBytes' | 'expectedFiles' | 'reservedBytes'
> & { lastActivityAt: number | string | null; lastUploadId: string | null };

function findTransfer(db: Db, transferId: string): Promise<FoundTransfer | undefined> {
  return db
    .selectFrom('transfers')
    .select(['status', 'fileCount', 'totalBytes', 'expectedFiles', 'reservedBytes'])
    .select((eb) => [
      eb
        .selectFrom('uploads')
        .select(({ fn }) => fn.max('lastActivityAt').as('last'))
        .whereRef('uploads.transferId', '=', 'transfers.id')
        .where('state', '=', 'open')
        .as('lastActivityAt'),
      eb
        .selectFrom('uploads')
        .select('uploads.id')
        .whereRef('uploads.transferId', '=', 'transfers.id')
        .orderBy('position', 'desc')
        .limit(1)
        .as('lastUploadId'),
    ])
    .where('transfers.id', '=', transferId)
    .where('status', '!=', 'deleting')
    .executeTakeFirst();
}
