import type { OperatorContext } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { Tier } from '../../platform/db/schema/column-types.ts';
import type { TransferRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { lockAccount } from '../accounts/index.ts';
import { enqueueCheck, nextVerification } from '../checksums/index.ts';
import { enqueueFileDetection } from '../previews/index.ts';
import { enqueueScan, quarantineNewFiles } from '../scanning/index.ts';
import { enqueueZipMeasure, type ImportedTransferRow, insertImportedTransfer } from '../transfers/index.ts';
import { insertFiles } from '../uploads/index.ts';
import { insertAddresses } from './addresses.ts';
import { markOfTransfer } from './marks.ts';
import { deleteStagedBlobs, insertItem, type StagedBlob } from './queries.ts';

export type ImportedFile = {
  blob: StagedBlob;
  originalName: string;
  relativePath: string;
  mimeType: string;
  uploadedAt: number;
};

export type ImportedShare = {
  sourceId: string;
  transfer: Omit<ImportedTransferRow, 'id' | 'fileCount' | 'totalBytes'>;
  addresses: string[];
  files: ImportedFile[];
};

export type ImportedTransfer = {
  transferId: string;
  token: string;
  /** Addresses that already lead to another transfer. */
  takenAddresses: string[];
};

/**
 * Makes the staged blobs a public transfer, in one transaction. Nobody is mailed; the background checks, previews and
 * the scanner treat the files as uploaded ones. Returns undefined if the owner's account was deleted meanwhile. Throws
 * UniqueViolation if another run has imported the share, and Error if its blobs are no longer staged.
 */
export function importTransfer(
  context: OperatorContext,
  importId: string,
  share: ImportedShare,
): Promise<ImportedTransfer | undefined> {
  return transaction(context.db, (trx) => commitImport(trx, context, { importId, share }));
}

async function commitImport(
  trx: Trx,
  context: OperatorContext,
  { importId, share }: { importId: string; share: ImportedShare },
): Promise<ImportedTransfer | undefined> {
  const now = context.clock.now();
  const owner = await lockAccount(trx, share.transfer.userId);
  if (!owner) return undefined;
  const { files, sourceId } = share;
  const transferId = randomId();
  const item = { importId, kind: 'transfer', sourceId, targetId: transferId, state: 'created' } as const;
  const totalBytes = files.reduce((sum, { blob }) => sum + blob.sizeBytes, 0);
  const row = { ...share.transfer, id: transferId, fileCount: files.length, totalBytes };
  const transfer = await insertImportedTransfer(trx, row, now);
  await insertItem(trx, { ...item, mark: markOfTransfer(transfer), createdAt: now });
  const sourceIds = files.map(({ blob }) => blob.sourceId);
  const staged = await deleteStagedBlobs(trx, { importId, sourceIds });
  if (staged.length !== files.length) throw new Error('The import was undone while it was running.');
  const rows = files.map((file, position) => toRow(file, { transferId, position }));
  await insertFiles(trx, rows);
  await enqueueFollowUps(trx, context, { transfer, tier: owner.tier, files: rows });
  const inserted = new Set(await insertAddresses(trx, { addresses: share.addresses, transferId }));
  const takenAddresses = share.addresses.filter((address) => !inserted.has(address));
  return { transferId, token: transfer.token, takenAddresses };
}

function toRow({ blob, ...names }: ImportedFile, place: { transferId: string; position: number }) {
  const { storageKey, sizeBytes, crc32, sha256 } = blob;
  return {
    ...names,
    ...place,
    id: randomId(),
    storageKey,
    sizeBytes,
    crc32,
    sha256,
    offset: 0,
    // The check still reads the stored bytes once.
    checkedAt: null,
    verifyAt: nextVerification(storageKey, blob.createdAt),
  };
}

type FollowUps = {
  transfer: TransferRow;
  tier: Tier;
  files: { id: string; sizeBytes: number; crc32: number }[];
};

async function enqueueFollowUps(
  trx: Trx,
  context: OperatorContext,
  { transfer, tier, files }: FollowUps,
): Promise<void> {
  const now = context.clock.now();
  const { id: transferId, userId } = transfer;
  const hasHeldFiles = await quarantineNewFiles(trx, context, {
    transferId,
    userId,
    isEncrypted: false,
    files,
  });
  if (hasHeldFiles) await enqueueScan(trx, userId, now);
  await enqueueCheck(trx, transferId);
  await enqueueFileDetection(trx, { owner: { tier }, transferId });
  await enqueueZipMeasure(trx, { transferId, fileCount: files.length, isAddition: false }, now);
}
