import { FILES_PER_PAGE } from '../../../contracts/file-pages.ts';
import { tierIncludes } from '../../../contracts/tiers.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import type { Context } from '../../context.ts';
import type { Tier, TransferRow } from '../../platform/db/schema.ts';
import { readCursor, writeCursor } from '../../platform/lib/cursor.ts';
import { toLooks } from '../previews/looks.ts';
import { presentFile } from './presenter.ts';
import { listShownFiles } from './queries.ts';

/** The largest position that a row may have. */
const LAST_POSITION = 2 ** 31 - 1;

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
  context: Pick<Context, 'db' | 'wakeWorker'>,
  transfer: Pick<TransferRow, 'id' | 'zipCount'> & { ownerTier: Tier },
  { cursor, whole }: Paging,
): Promise<FilePage> {
  const after = Number(readCursor(cursor, 'position')?.key ?? -1);
  const rows = await listShownFiles(context.db, transfer.id, Math.min(after, LAST_POSITION));
  const shown = rows.slice(0, FILES_PER_PAGE);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  const looked = tierIncludes(transfer.ownerTier, 'previews') ? shown : [];
  const looks = await toLooks(context, transfer.id, { rows: looked, whole });
  return {
    files: shown.map((file) => presentFile(file, transfer.zipCount, looks)),
    nextFiles: last ? writeCursor('position', { id: last.id, key: last.position }) : null,
  };
}
