import type { PreviewKind } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { ignoreFullDisk } from '../../platform/lib/app-error.ts';
import { lookAtFilesJob } from './looking.ts';

/** What can be seen of a file without downloading it. */
export type FileLook = { preview: PreviewKind | null; thumbnail: boolean };
/** By the id of the file. */
export type Looks = (fileId: string) => FileLook;

const NOTHING: FileLook = { preview: null, thumbnail: false };

/** What a file is by its own bytes, as far as known. */
type LookedFile = {
  id: string;
  damagedAt: number | null;
  /** null: the file has not been examined. */
  lookedAt: string | null;
  kind: PreviewKind | null;
  thumbnailId: string | null;
};

/**
 * What can be seen of these files of a transfer; pass no rows when the owner's plan has no previews. `whole`:
 * also what shows as much as a download. Has files examined that have not been (the owner has upgraded since).
 */
export async function toLooks(
  context: Pick<Context, 'db'>,
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

async function enqueueForgotten({ db }: Pick<Context, 'db'>, transferId: string): Promise<void> {
  await transaction(db, (trx) =>
    enqueue(trx, lookAtFilesJob, { transferId }, { uniqueKey: transferId }),
  ).catch(ignoreFullDisk);
}
