import { MAX_FILES_PER_TRANSFER, planChunks } from '../../../contracts/limits.ts';
import { normaliseFileName, normalisePath } from '../../../contracts/names.ts';
import type { UploadRequest } from '../../../contracts/uploads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UploadRow, UserRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { monthOf } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { getTierConfig, limitsOf } from '../tiers/tiers.ts';
import { createDraft, holdOwnTransfer } from '../transfers/drafts.ts';
import { isExpired } from '../transfers/expiry.ts';
import { allocatePlaces, preparePlaces, type SizedPlan } from './places.ts';
import { findNextPosition, insertUploads } from './queries.ts';
import { requireFreeSpace, reserveBytes } from './reservations.ts';
import { discardUpload } from './unfinished.ts';

export type Announcement = {
  /** A draft or ready transfer of the same owner; a new draft without it. */
  transferId?: string | null | undefined;
  files: UploadRequest[];
  /** The call's name for its list of files, where it takes a list: field errors begin with it. */
  field?: 'files';
};

type PlannedFile = SizedPlan & Pick<UploadRow, 'fileName' | 'relativePath' | 'mimeType'>;

/**
 * Opens an upload per file, all in one transfer, and reserves their bytes: all or none.
 * Throws AppError `wrong_total_chunks`, `invalid_input`, `transfer_not_found`, `transfer_expired`,
 * `transfer_used_up`, `transfer_limit_exceeded`, `monthly_limit_exceeded`, `storage_full`.
 */
export async function announceUploads(
  context: Context,
  owner: Pick<UserRow, 'id' | 'tier'>,
  announcement: Announcement,
): Promise<UploadRow[]> {
  const { db, blobs } = context;
  const files = announcement.files.map((file, index) =>
    planFile(file, announcement.field ? `${announcement.field}.${index}.` : ''),
  );
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (!Number.isSafeInteger(bytes)) throw new AppError('invalid_input');
  const limits = limitsOf(await getTierConfig(context), owner.tier);
  await requireFreeSpace(blobs, bytes);
  const rows = await transaction(db, async (trx) => {
    const transferId = await openOrCreate(trx, context, { owner, id: announcement.transferId });
    const month = monthOf(context.clock.now());
    await reserveBytes(trx, { owner, limits, transferId, bytes, month });
    return insertPlannedFiles(trx, context, { owner, transferId, month, files });
  });
  await prepareOrGiveUp(context, rows);
  return rows;
}

async function openOrCreate(
  trx: Trx,
  { clock }: Context,
  { owner, id }: { owner: Pick<UserRow, 'id'>; id: string | null | undefined },
): Promise<string> {
  if (!id) return (await createDraft(trx, { userId: owner.id, clock })).id;
  const transfer = await holdOwnTransfer(trx, owner.id, id);
  if (isExpired(transfer, clock.now())) throw new AppError('transfer_expired');
  // Auto-delete has closed it: it goes with its last download.
  if (transfer.closedAt !== null) throw new AppError('transfer_used_up');
  return id;
}

type Insertion = { owner: Pick<UserRow, 'id'>; transferId: string; month: string; files: PlannedFile[] };

async function insertPlannedFiles(
  trx: Trx,
  { blobs, clock }: Context,
  { owner, transferId, month, files }: Insertion,
): Promise<UploadRow[]> {
  const firstPosition = await findNextPosition(trx, transferId);
  if (firstPosition + files.length > MAX_FILES_PER_TRANSFER)
    throw new AppError('invalid_input', {
      message: `A transfer holds at most ${MAX_FILES_PER_TRANSFER.toLocaleString('en')} files.`,
    });
  const places = await allocatePlaces(trx, { transferId, plans: files, packs: blobs.packsSmallFiles });
  const now = clock.now();
  const rows = files.map(
    ({ fileName, relativePath, mimeType }, index): UploadRow => ({
      ...places[index]!,
      id: randomId(),
      userId: owner.id,
      transferId,
      state: 'open',
      fileName,
      relativePath,
      mimeType,
      position: firstPosition + index,
      usageMonth: month,
      createdAt: now,
      lastActivityAt: now,
    }),
  );
  await insertUploads(trx, rows);
  return rows;
}

/** Without room in the store nobody can go on, so the reservation is not kept either. */
async function prepareOrGiveUp(context: Context, rows: UploadRow[]): Promise<void> {
  try {
    await preparePlaces(context.blobs, rows);
  } catch (error) {
    for (const row of rows) await discardUpload(context, row).catch(() => undefined);
    throw error;
  }
}

function planFile(file: UploadRequest, field: string): PlannedFile {
  const { chunkSize, totalChunks } = planChunks(file.fileSize);
  // A client that cannot say "no chunk" says one.
  const isRight = file.totalChunks === totalChunks || (file.fileSize === 0 && file.totalChunks === 1);
  if (!isRight) throw new AppError('wrong_total_chunks', { details: { expected: totalChunks, chunkSize } });
  const fileName = normaliseFileName(file.fileName);
  const relativePath = file.relativePath ? normalisePath(file.relativePath) : fileName;
  if (relativePath === undefined) {
    const message = 'This path is too deep or too long.';
    throw new AppError('invalid_input', { message, errors: { [`${field}relativePath`]: message } });
  }
  const mimeType = file.mimeType ?? 'application/octet-stream';
  return { sizeBytes: file.fileSize, chunkSize, totalChunks, fileName, relativePath, mimeType };
}
