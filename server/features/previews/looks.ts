import type { PreviewKind } from '../../../contracts/previews.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { ignoreFullDisk } from '../../platform/lib/app-error.ts';
import { lookAtFilesJob } from './looking.ts';
import { listLooked } from './queries.ts';

/** What can be seen of a file without downloading it. */
export type FileLook = { preview: PreviewKind | null; thumbnail: boolean };
/** By the id of the file. */
export type Looks = (fileId: string) => FileLook;

const NOTHING: FileLook = { preview: null, thumbnail: false };

/**
 * What can be seen of each file of a transfer: nothing unless its owner's plan has previews now. `whole`: also
 * what shows as much as a download. Files at which nobody has looked (the owner has upgraded since) are looked
 * at soon.
 */
export async function listLooks(
  context: Pick<Context, 'db' | 'wakeWorker'>,
  transferId: string,
  { whole }: { whole: boolean },
): Promise<Looks> {
  return toLooks(context, transferId, { rows: await listLooked(context.db, transferId), whole });
}

type LookedFile = Awaited<ReturnType<typeof listLooked>>[number];

/** The same of rows that are at hand; none when the owner's plan has no previews. */
export async function toLooks(
  context: Pick<Context, 'db' | 'wakeWorker'>,
  transferId: string,
  { rows, whole }: { rows: LookedFile[]; whole: boolean },
): Promise<Looks> {
  if (rows.some(({ lookedAt }) => lookedAt === null)) await enqueueForgotten(context, transferId);
  const looks = new Map(rows.map((row) => [row.id, describe(row, whole)]));
  return (fileId) => looks.get(fileId) ?? NOTHING;
}

/** Pictures are bounded copies; the rest is shown as it is. */
export function needsWhole(kind: PreviewKind): boolean {
  return kind !== 'image' && kind !== 'pdf';
}

function describe({ kind, damagedAt, thumbnailId }: LookedFile, whole: boolean): FileLook {
  if (kind === null || damagedAt !== null) return NOTHING;
  const hasPicture = thumbnailId !== null;
  return { preview: (needsWhole(kind) ? whole : hasPicture) ? kind : null, thumbnail: hasPicture };
}

async function enqueueForgotten(
  { db, wakeWorker }: Pick<Context, 'db' | 'wakeWorker'>,
  transferId: string,
): Promise<void> {
  await transaction(db, (trx) =>
    enqueue(trx, lookAtFilesJob, { transferId }, { uniqueKey: transferId }),
  ).catch(ignoreFullDisk);
  wakeWorker();
}
