import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { type TierName, tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { PreviewKind } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import { readFileWindows } from '../../platform/db/file-windows.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type Content, SNIFFED_BYTES, sniffContent } from '../../platform/images/sniff.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import { PictureTurns, type Turn } from './picture-turns.ts';
import { findOwnerId, findServedRank, insertLooks, listFilesToExamine, type UnseenFile } from './queries.ts';
import { isSmallEnough, renderPicturesJob } from './rendering.ts';
import { readBytes } from './stored-bytes.ts';
import { looksLikeText } from './text.ts';

/** Files whose kinds are one commit, and of these how many are read at once (each is a round trip on S3). */
const FILES_PER_COMMIT = 200;
const READS_AT_ONCE = 8;

/** Finds out by their first bytes what the new files of a transfer are, and has their pictures made. */
export const lookAtFilesJob = defineJob<Context, { transferId: string }>({
  name: 'look-at-files',
  payload: z.object({ transferId: z.string() }),
  oneAtATime: true,
  run: lookAtFiles,
});

/** For the files of a ready transfer of this owner, if the plan has previews. */
export async function enqueueLook(
  trx: Trx,
  { owner, transferId }: { owner: { tier: TierName }; transferId: string },
): Promise<void> {
  if (!tierIncludes(owner.tier, 'previews')) return;
  await enqueue(trx, lookAtFilesJob, { transferId }, { uniqueKey: transferId });
}

/** Per database: tests run several servers in a process. */
const turnsByDb = new WeakMap<Context['db'], PictureTurns>();

function findTurns({ db }: Context): PictureTurns {
  const turns = turnsByDb.get(db) ?? new PictureTurns();
  turnsByDb.set(db, turns);
  return turns;
}

async function lookAtFiles(
  context: Context,
  { transferId }: { transferId: string },
  { signal }: JobRun,
): Promise<void> {
  const { db } = context;
  const ownerId = await findOwnerId(db, transferId);
  if (ownerId === undefined) return;
  const turn = findTurns(context).begin({ ownerId, transferId }, await findServedRank(db));
  let seen = 0;
  const read = (after: number, upTo: number) => listFilesToExamine(db, transferId, { after, upTo });
  for await (const rows of readFileWindows(db, { transferId, after: -1, read })) {
    const files = rows.filter(({ examinedId }) => examinedId === null);
    for (let start = 0; start < files.length; start += FILES_PER_COMMIT) {
      signal.throwIfAborted();
      const batch = files.slice(start, start + FILES_PER_COMMIT);
      await examine(context, batch, { turn, seen });
      seen += batch.length;
      // SQLite answers without a turn of the event loop, and empty files are not read.
      await setImmediate();
    }
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** `seen` is the number of new files before these. */
async function examine(
  context: Context,
  files: UnseenFile[],
  { turn, seen }: { turn: Turn; seen: number },
): Promise<void> {
  const looks: Awaited<ReturnType<typeof lookAt>>[] = [];
  for (let next = 0; next < files.length; next += READS_AT_ONCE) {
    const some = files.slice(next, next + READS_AT_ONCE);
    looks.push(...(await Promise.all(some.map((file) => lookAt(context, file)))));
  }
  const turns = findTurns(context);
  const ranked = looks.map((look, index) => ({
    ...look,
    rank: look.state === 'waiting' ? turns.take(turn, seen + index) : 0,
  }));
  await noteLooks(context, ranked);
}

async function noteLooks(
  { db }: Context,
  looks: (Awaited<ReturnType<typeof lookAt>> & { rank: number })[],
): Promise<void> {
  await transaction(db, async (trx) => {
    await insertLooks(trx, looks);
    const isWaiting = looks.some(({ state }) => state === 'waiting');
    if (isWaiting) await enqueue(trx, renderPicturesJob, {}, { uniqueKey: 'all' });
  });
}

async function lookAt({ blobs, clock, images }: Context, file: UnseenFile) {
  const head = await readHead(blobs, file);
  const content = sniffContent(head) ?? (looksLikeText(head) ? TEXT : undefined);
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

const TEXT: { kind: PreviewKind & 'text'; mimeType: string } | Content = {
  kind: 'text',
  mimeType: 'text/plain',
};

/** Of a file whose bytes are gone there is nothing to see. */
async function readHead(blobs: Context['blobs'], file: UnseenFile): Promise<Buffer> {
  try {
    return await readBytes(blobs, file, SNIFFED_BYTES);
  } catch (error) {
    if (isAppError(error, 'file_not_found')) return Buffer.alloc(0);
    throw error;
  }
}
