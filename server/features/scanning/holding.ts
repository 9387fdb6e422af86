import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { FileRow, HeldFileRow, TransferRow } from '../../platform/db/schema.ts';
import { setScanState } from '../transfers/index.ts';
import { findLikelyBlocked, hasHeldFile, insertHeldFiles } from './queries.ts';

type Holding = Pick<Context, 'clock' | 'config' | 'secret'>;

type NewFiles = {
  transferId: string;
  /** The owner of the transfer. */
  userId: string;
  files: Pick<FileRow, 'id' | 'crc32' | 'sizeBytes'>[];
};

/**
 * Keeps new files from being downloaded until they are scanned: all of them where there is a scanner, else those
 * that look like a content that was taken down. Returns whether there are any; then the caller enqueues a scan. The
 * caller holds the transfer's row.
 */
export async function holdNewFiles(
  trx: Trx,
  context: Holding,
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

/**
 * Derives what a transfer's row says from its held files; without any its recipients get their mails. The caller holds
 * the transfer's row.
 */
export async function refreshScanState(trx: Trx, context: Holding, transferId: string): Promise<void> {
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
