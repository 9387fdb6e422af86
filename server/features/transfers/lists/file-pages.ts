import { tierIncludes } from '../../../../contracts/plans/tiers.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { FILES_PER_PAGE } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { findNextPosition, readFileWindows, WINDOW } from '../../../platform/db/queries/file-windows.ts';
import type { Tier } from '../../../platform/db/schema/column-types.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { readCursor, writeCursor } from '../../../platform/lib/cursor.ts';
import { describePreviews } from '../../previews/index.ts';
import { readArrival } from '../arrival/arrival-progress.ts';
import {
  type ArrivingUpload,
  findNextAnnounced,
  presentArrivingUpload,
  readArrivingWindows,
} from '../arrival/arriving-uploads.ts';
import { presentFile } from '../presenter.ts';
import { listShownFiles, type ShownFile } from '../queries.ts';

/** Leaves room to add windows without exceeding the largest 32-bit integer. */
const LAST_POSITION = 2 ** 31 - 1 - 2 * WINDOW;

export type FilePage = {
  files: TransferFile[];
  nextFiles: string | null;
};

export type FilePaging = {
  cursor: string | undefined;
  /** Files at most; a full page by default. */
  limit?: number | undefined;
  /** Whether previews may show the whole file, as a download would. */
  whole: boolean;
};

/**
 * The cost does not depend on the number of files, and files added meanwhile change no earlier page. Throws AppError
 * `invalid_input` for an unknown cursor.
 */
export async function listFilePage(
  context: Pick<Context, 'db' | 'blobs'>,
  transfer: Pick<TransferRow, 'id' | 'status' | 'zipCount' | 'encryption'> & { ownerTier: Tier },
  { cursor, limit = FILES_PER_PAGE, whole }: FilePaging,
): Promise<FilePage> {
  const after = Math.min(Number(readCursor(cursor, 'position')?.key ?? -1), LAST_POSITION);
  if (transfer.status === 'arriving') return listArrivingPage(context, transfer, { after, limit });
  const rows = await listFilesBehind(context.db, transfer.id, after, limit);
  const shown = rows.slice(0, limit);
  const last = shown.length === limit ? shown.at(-1)! : undefined;
  const hasNext =
    last !== undefined && (await findNextPosition(context.db, transfer.id, last.position)) !== undefined;
  const hasPreviews = tierIncludes(transfer.ownerTier, 'previews') && transfer.encryption === null;
  const previewed = hasPreviews ? shown : [];
  const findPreview = await describePreviews(context, transfer.id, { rows: previewed, whole });
  return {
    files: shown.map((file) => presentFile(file, transfer.zipCount, findPreview)),
    nextFiles: hasNext ? writeCursor('position', { id: last.id, key: last.position }) : null,
  };
}

/** Returns at least `limit` files unless there are fewer. */
async function listFilesBehind(
  db: Db,
  transferId: string,
  after: number,
  limit: number,
): Promise<ShownFile[]> {
  const rows: ShownFile[] = [];
  const read = (from: number, upTo: number) => listShownFiles(db, transferId, from, upTo);
  for await (const some of readFileWindows(db, { transferId, after, read })) {
    rows.push(...some);
    if (rows.length >= limit) break;
  }
  return rows;
}

const NO_PREVIEWS = () => ({ preview: null, thumbnail: false });

/** Complete files and open uploads, in the order that the complete transfer will have. */
async function listArrivingPage(
  context: Pick<Context, 'db' | 'blobs'>,
  { id: transferId, zipCount }: Pick<TransferRow, 'id' | 'zipCount'>,
  { after, limit }: { after: number; limit: number },
): Promise<FilePage> {
  const { db } = context;
  const rows: (ShownFile | ArrivingUpload)[] = [];
  const listFiles = (from: number, upTo: number) => listShownFiles(db, transferId, from, upTo);
  for await (const some of readArrivingWindows(db, { transferId, after, listFiles })) {
    rows.push(...some);
    if (rows.length >= limit) break;
  }
  const shown = rows.slice(0, limit);
  const last = shown.length === limit ? shown.at(-1)! : undefined;
  const hasNext =
    last !== undefined && (await findNextAnnounced(db, transferId, last.position)) !== undefined;
  const { receivedBytes } = await readArrival(context, transferId);
  return {
    files: shown.map((row) =>
      'fileName' in row
        ? presentArrivingUpload(row, receivedBytes.get(row.id) ?? 0)
        : {
            ...presentFile(row, zipCount, NO_PREVIEWS),
            state: 'here' as const,
            receivedBytes: row.sizeBytes,
          },
    ),
    nextFiles: hasNext ? writeCursor('position', { id: last.id, key: last.position }) : null,
  };
}
