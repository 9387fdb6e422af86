import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { PreviewKind } from '../../../contracts/transfers/downloads/previews.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { readFileWindows } from '../../platform/db/queries/file-windows.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from '../../platform/images/sniff.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import {
  findOwnerId,
  findServedRank,
  insertFilePreviews,
  listFilesToDetect,
  type UndetectedFile,
} from './queries.ts';
import { readBytes } from './stored-bytes.ts';
import { isLikelyText } from './text.ts';
import { isSmallEnough, renderPicturesJob } from './thumbnails.ts';

const FILES_PER_COMMIT = 200;
/** Concurrent, because on S3 each read is a round trip. */
const READS_AT_ONCE = 8;

/** Enqueues detection for a ready transfer if the owner's plan includes previews. */
export async function enqueueFileDetection(
  trx: Trx,
  { owner, transferId }: { owner: { tier: TierName }; transferId: string },
): Promise<void> {
  if (!tierIncludes(owner.tier, 'previews')) return;
  await enqueue(trx, detectFilesJob, { transferId }, { uniqueKey: transferId });
}

/** Detects the types of a transfer's new files from their first bytes and enqueues rendering of their pictures. */
export const detectFilesJob = defineJob<Context, { transferId: string }>({
  name: 'file-at-files',
  payload: z.object({ transferId: z.string() }),
  oneAtATime: true,
  run: detectFiles,
});

async function detectFiles(
  context: Context,
  { transferId }: { transferId: string },
  { signal }: JobRun,
): Promise<void> {
  const { db } = context;
  const ownerId = await findOwnerId(db, transferId);
  if (ownerId === undefined) return;
  const turn = queueOf(context).begin({ ownerId, transferId }, await findServedRank(db));
  let seen = 0;
  const read = (after: number, upTo: number) => listFilesToDetect(db, transferId, { after, upTo });
  for await (const rows of readFileWindows(db, { transferId, after: -1, read })) {
    const files = rows.filter(({ detectedId }) => detectedId === null);
    for (let start = 0; start < files.length; start += FILES_PER_COMMIT) {
      signal.throwIfAborted();
      const batch = files.slice(start, start + FILES_PER_COMMIT);
      await detectBatch(context, batch, { turn, seen });
      seen += batch.length;
      // SQLite calls are synchronous and empty files are not read, so yield to the event loop.
      await setImmediate();
    }
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** `seen` is the number of new files before these. */
async function detectBatch(
  context: Context,
  files: UndetectedFile[],
  { turn, seen }: { turn: Turn; seen: number },
): Promise<void> {
  const detected: Awaited<ReturnType<typeof detect>>[] = [];
  for (let next = 0; next < files.length; next += READS_AT_ONCE) {
    const some = files.slice(next, next + READS_AT_ONCE);
    detected.push(...(await Promise.all(some.map((file) => detect(context, file)))));
  }
  const queue = queueOf(context);
  const ranked = detected.map((file, index) => ({
    ...file,
    rank: file.state === 'waiting' ? queue.claimRank(turn, seen + index) : 0,
  }));
  await saveDetected(context, ranked);
}

async function saveDetected(
  { db }: Context,
  detected: (Awaited<ReturnType<typeof detect>> & { rank: number })[],
): Promise<void> {
  await transaction(db, async (trx) => {
    await insertFilePreviews(trx, detected);
    const isWaiting = detected.some(({ state }) => state === 'waiting');
    if (isWaiting) await enqueue(trx, renderPicturesJob, {}, { uniqueKey: 'all' });
  });
}

const TEXT: { kind: PreviewKind & 'text'; mimeType: string } | Content = {
  kind: 'text',
  mimeType: 'text/plain',
};

async function detect({ blobs, clock, images }: Context, file: UndetectedFile) {
  const head = await readHead(blobs, file);
  const content = sniffContent(head) ?? (isLikelyText(head) ? TEXT : undefined);
  const hasPicture = content && content.kind !== 'text' && images.canRender(content);
  return {
    fileId: file.id,
    kind: content?.kind ?? null,
    mimeType: content?.mimeType ?? null,
    state:
      hasPicture && isSmallEnough(content.kind, file.sizeBytes) ? ('waiting' as const) : ('none' as const),
    createdAt: clock.now(),
  };
}

async function readHead(blobs: Context['blobs'], file: UndetectedFile): Promise<Buffer> {
  try {
    return await readBytes(blobs, file, SNIFFED_BYTES);
  } catch (error) {
    if (isAppError(error, 'file_not_found')) return Buffer.alloc(0);
    throw error;
  }
}

/** One per database, because tests run several servers in a process. */
const queues = new WeakMap<Context['db'], RenderQueue>();

function queueOf({ db }: Context): RenderQueue {
  const queue = queues.get(db) ?? new RenderQueue();
  queues.set(db, queue);
  return queue;
}

/** The largest 32-bit database integer. */
const MAX_RANK = 2 ** 31 - 1;

/** Ranks of a transfer's new files in the rendering queue: the n-th one gets `start + step × n`. */
type Turn = { ownerId: string; transferId: string; start: number; step: number };

/**
 * A fair queue for rendering: owners take turns, however many files each of them sent. Ranks are virtual times: an
 * owner's first file gets the rank that is currently served. An owner's transfers share the owner's turns: if k of them
 * are waiting, the files of the k-th are k ranks apart. The state is per process, so after a restart or with several
 * processes an owner may get a few extra turns.
 */
class RenderQueue {
  readonly #owners = new Map<string, Map<string, number>>();

  begin({ ownerId, transferId }: Pick<Turn, 'ownerId' | 'transferId'>, servedRank: number | undefined): Turn {
    if (servedRank === undefined) this.#owners.clear();
    const served = servedRank ?? 0;
    const transfers = this.#owners.get(ownerId) ?? new Map<string, number>();
    for (const [id, lastRank] of transfers) if (lastRank < served) transfers.delete(id);
    const others = transfers.size - (transfers.has(transferId) ? 1 : 0);
    this.#owners.set(ownerId, transfers);
    return { ownerId, transferId, start: served + others, step: others + 1 };
  }

  claimRank({ ownerId, transferId, start, step }: Turn, n: number): number {
    const rank = Math.min(MAX_RANK, start + step * n);
    this.#owners.get(ownerId)?.set(transferId, rank);
    return rank;
  }
}

export const previewJobs = [detectFilesJob, renderPicturesJob];
