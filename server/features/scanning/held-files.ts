import type { UnscannedReason } from '../../../contracts/transfers/held-files.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { FileRow, HeldFileRow, TransferRow } from '../../platform/db/schema.ts';
import { setScanState } from '../transfers/index.ts';
import { findLikelyBlocked, hasHeldFile, insertHeldFiles } from './queries.ts';

type ScanContext = Pick<Context, 'clock' | 'config' | 'secret'>;

type NewFiles = {
  transferId: string;
  userId: string;
  isEncrypted: boolean;
  files: Pick<FileRow, 'id' | 'crc32' | 'sizeBytes'>[];
};

const WAITING = { state: 'waiting', finding: null } as const;
const UNSCANNABLE = { state: 'unscanned', finding: 'encrypted' satisfies UnscannedReason } as const;

/**
 * Blocks the download of new files until they are scanned: all files if there is a scanner, otherwise only those that
 * match taken-down content. Files of an end-to-end encrypted transfer cannot be scanned, so the policy for such files
 * decides. Returns whether any are blocked; if so, the caller must enqueue a scan. The caller must have locked the
 * transfer's row.
 */
export async function quarantineNewFiles(
  trx: Trx,
  context: ScanContext,
  { transferId, userId, isEncrypted, files }: NewFiles,
): Promise<boolean> {
  const { clock, config } = context;
  const filled = files.filter(({ sizeBytes }) => sizeBytes > 0);
  const isUnscannable = config.scan?.unscanned === 'hold' && isEncrypted;
  const isScanned = config.scan !== undefined && !isEncrypted;
  const held = isScanned || isUnscannable ? filled : await findLikelyBlocked(trx, filled);
  if (held.length === 0) return false;
  const createdAt = clock.now();
  const state = isUnscannable ? UNSCANNABLE : WAITING;
  await insertHeldFiles(
    trx,
    held.map(({ id: fileId }) => ({
      fileId,
      transferId,
      userId,
      createdAt,
      ...state,
      foundAt: isUnscannable ? createdAt : null,
    })),
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
