import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { FileRow, HeldFileRow, TransferRow } from '../../platform/db/schema.ts';
import { setScanState } from '../transfers/index.ts';
import { findLikelyBlocked, hasHeldFile, insertHeldFiles } from './queries.ts';

type ScanContext = Pick<Context, 'clock' | 'config' | 'secret'>;

type NewFiles = {
  transferId: string;
  userId: string;
  files: Pick<FileRow, 'id' | 'crc32' | 'sizeBytes'>[];
};

/**
 * Blocks the download of new files until they are scanned: all files if there is a scanner, otherwise only those that
 * match taken-down content. Returns whether there are any; if so, the caller must enqueue a scan. The caller must have
 * locked the transfer's row.
 */
export async function quarantineNewFiles(
  trx: Trx,
  context: ScanContext,
  { transferId, userId, files }: NewFiles,
): Promise<boolean> {
  const { clock, config } = context;
  const filled = files.filter(({ sizeBytes }) => sizeBytes > 0);
  const held = config.scan ? filled : await findLikelyBlocked(trx, filled);
  if (held.length === 0) return false;
  const createdAt = clock.now();
  await insertHeldFiles(
    trx,
    held.map(({ id: fileId }) => ({ fileId, transferId, userId, createdAt })),
  );
  await refreshScanState(trx, context, transferId);
  return true;
}

/** Once no file is held, recipients are mailed. The caller must have locked the transfer's row. */
export async function refreshScanState(trx: Trx, context: ScanContext, transferId: string): Promise<void> {
  await setScanState(trx, context, { transferId, scanState: await findScanState(trx, transferId) });
}

async function findScanState(
  trx: Trx,
  transferId: string,
): Promise<Exclude<TransferRow['scanState'], 'partial'>> {
  const has = (state: HeldFileRow['state']) => hasHeldFile(trx, transferId, state);
  if ((await has('infected')) || (await has('blocked'))) return 'blocked';
  if (await has('waiting')) return 'checking';
  return (await has('unscanned')) ? 'unscanned' : null;
}
