import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { FILES_PER_PAGE } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { findNextPosition, readFileWindows, WINDOW } from '../../../platform/db/queries/file-windows.ts';
import type { Tier, TransferRow } from '../../../platform/db/schema.ts';
import { readCursor, writeCursor } from '../../../platform/lib/cursor.ts';
import { describePreviews } from '../../previews/index.ts';
import { presentFile } from '../presenter.ts';
import { listShownFiles, type ShownFile } from '../queries.ts';

/** So far below the largest position a row may have that windows can be added to it. */
const LAST_POSITION = 2 ** 31 - 1 - 2 * WINDOW;

export type FilePage = {
  files: TransferFile[];
  /** The cursor of the page that follows; null on the last. */
  nextFiles: string | null;
};

type Paging = {
  /** As `nextFiles` said it; the first page without. */
  cursor: string | undefined;
  /** Whether previews may show as much as a download. */
  whole: boolean;
};

/**
 * A page of a transfer's files in the order of their positions. Its cost does not depend on how many files there
 * are; a file that is added meanwhile changes no page before its own. Throws AppError `invalid_input` for an
 * unknown cursor.
 */
export async function listFilePage(
  context: Pick<Context, 'db'>,
  transfer: Pick<TransferRow, 'id' | 'zipCount'> & { ownerTier: Tier },
  { cursor, whole }: Paging,
): Promise<FilePage> {
  const after = Number(readCursor(cursor, 'position')?.key ?? -1);
  const rows = await listFilesBehind(context.db, transfer.id, Math.min(after, LAST_POSITION));
  const shown = rows.slice(0, FILES_PER_PAGE);
  const last = shown.length === FILES_PER_PAGE ? shown.at(-1)! : undefined;
  const hasNext =
    last !== undefined && (await findNextPosition(context.db, transfer.id, last.position)) !== undefined;
  const previewed = tierIncludes(transfer.ownerTier, 'previews') ? shown : [];
  const findPreview = await describePreviews(context, transfer.id, { rows: previewed, whole });
  return {
    files: shown.map((file) => presentFile(file, transfer.zipCount, findPreview)),
    nextFiles: hasNext ? writeCursor('position', { id: last.id, key: last.position }) : null,
  };
}

/** At least as many as a page holds, if there are so many. */
async function listFilesBehind(db: Db, transferId: string, after: number): Promise<ShownFile[]> {
  const rows: ShownFile[] = [];
  const read = (from: number, upTo: number) => listShownFiles(db, transferId, from, upTo);
  for await (const some of readFileWindows(db, { transferId, after, read })) {
    rows.push(...some);
    if (rows.length >= FILES_PER_PAGE) break;
  }
  return rows;
}
