import { MAX_FILES_PER_TRANSFER } from '../../../../contracts/plans/limits.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { earlierFilesOf } from '../../transfers/index.ts';
import { countOpenUploads } from './queries.ts';

/** Files of all versions together. Selections and cursors name files by position. */
const POSITIONS_MAX = 10 * MAX_FILES_PER_TRANSFER;

/** After all files of all versions. The caller must have locked the transfer. */
export async function findNextPosition(trx: Trx, transferId: string): Promise<number> {
  const lastIn = (table: 'uploads' | 'files', id: string) =>
    trx
      .selectFrom(table)
      .select((eb) => eb.fn.max('position').as('last'))
      .where('transferId', '=', id);
  // A file whose upload joined at completion has a different position than its upload.
  const rows = await lastIn('uploads', transferId)
    .unionAll(lastIn('files', transferId))
    .unionAll(lastIn('files', earlierFilesOf(transferId)))
    .execute();
  return Math.max(...rows.map(({ last }) => (last === null ? 0 : Number(last) + 1)));
}

type Addition = { transfer: Pick<TransferRow, 'id' | 'fileCount'>; files: number };

/**
 * Returns the first position for more files. The caller must have locked the transfer. Throws AppError `invalid_input`
 * if a transfer cannot hold that many.
 */
export async function findRoomForFiles(trx: Trx, { transfer, files }: Addition): Promise<number> {
  const first = await findNextPosition(trx, transfer.id);
  const end = first + files;
  // A high position does not mean many files, because files of earlier versions keep theirs. So count them.
  if (end > MAX_FILES_PER_TRANSFER)
    requireCounts({
      files: transfer.fileCount + (await countOpenUploads(trx, transfer.id)) + files,
      positions: end,
    });
  return first;
}

/** Throws AppError `invalid_input`. */
export function requireCounts({ files, positions }: { files: number; positions: number }): void {
  if (files <= MAX_FILES_PER_TRANSFER && positions <= POSITIONS_MAX) return;
  throw new AppError('invalid_input', {
    message: `A transfer holds at most ${formatCount(MAX_FILES_PER_TRANSFER)} files.`,
  });
}
