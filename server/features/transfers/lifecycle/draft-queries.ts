import type { Db, Trx } from '../../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../../platform/db/queries/public-transfers.ts';
import type { Flag, Instant, JsonText } from '../../../platform/db/schema/column-types.ts';
import type { TransferRow, UserRow } from '../../../platform/db/schema.ts';

export type NewDraft = Pick<
  TransferRow,
  | 'id'
  | 'userId'
  | 'token'
  | 'createdAt'
  | 'title'
  | 'receivedFrom'
  | 'invitationId'
  | 'visitorKey'
  | 'visitId'
  | 'encryption'
  | 'accessKeyHash'
>;

export type SettingsColumns = {
  title: string | null;
  message: string | null;
  recipientEmails: JsonText;
  expiresAt: Instant;
  scheduledAvailableAt: Instant | null;
  passwordHash: string | null;
  maxDownloads: number | null;
  autoDeleteAfterDownloads: Flag;
};

export async function insertDraft(trx: Trx, draft: NewDraft): Promise<TransferRow | undefined> {
  return trx
    .insertInto('transfers')
    .values({ ...draft, status: 'draft', recipientEmails: '[]' })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function selectOwnTransfer(
  db: Db,
  userId: string,
  transferId: string,
): Promise<TransferRow | undefined> {
  return db
    .selectFrom('transfers')
    .selectAll()
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', '!=', 'deleting')
    .executeTakeFirst();
}

/** Locks the row with an update that changes nothing, which works in both databases. */
export async function lockTransfer(
  trx: Trx,
  userId: string,
  transferId: string,
): Promise<TransferRow | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({ fileCount: eb.ref('fileCount') }))
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', '!=', 'deleting')
    .returningAll()
    .executeTakeFirst();
}

type Addition = { transferId: string; userId: string; bytes: number; storagePerTransfer: number };

export async function addReservedBytes(
  trx: Trx,
  { transferId, userId, bytes, storagePerTransfer }: Addition,
): Promise<boolean> {
  const row = await trx
    .updateTable('transfers')
    .set((eb) => ({ reservedBytes: eb('reservedBytes', '+', bytes) }))
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', '!=', 'deleting')
    .where('reservedBytes', '<=', storagePerTransfer - bytes)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function subtractReservedBytes(trx: Trx, transferId: string, bytes: number): Promise<void> {
  await trx
    .updateTable('transfers')
    .set((eb) => ({ reservedBytes: eb('reservedBytes', '-', bytes) }))
    .where('id', '=', transferId)
    .execute();
}

export async function addFiles(trx: Trx, addition: Addition & { files: number }): Promise<boolean> {
  const { transferId, userId, bytes, files, storagePerTransfer } = addition;
  const row = await trx
    .updateTable('transfers')
    .set((eb) => ({ fileCount: eb('fileCount', '+', files), totalBytes: eb('totalBytes', '+', bytes) }))
    .where('id', '=', transferId)
    .where('userId', '=', userId)
    .where('status', '!=', 'deleting')
    .where('totalBytes', '<=', storagePerTransfer - bytes)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateUnsettledDraft(
  trx: Trx,
  transferId: string,
  settings: SettingsColumns & { expectedFiles: number },
): Promise<boolean> {
  const row = await trx
    .updateTable('transfers')
    .set(settings)
    .where('id', '=', transferId)
    .where('status', '=', 'draft')
    .where('expectedFiles', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateExpectedFiles(
  trx: Trx,
  transferId: string,
  expectedFiles: number,
): Promise<void> {
  await trx
    .updateTable('transfers')
    .set({ expectedFiles })
    .where('id', '=', transferId)
    .where('status', '=', 'draft')
    // Only `publishUpdate` publishes the files of an update.
    .where('updatesTransferId', 'is', null)
    .execute();
}

export async function updateCompleteDraft(
  trx: Trx,
  transferId: string,
  readyAt: Instant,
): Promise<TransferRow | undefined> {
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      status: 'ready',
      readyAt,
      arrivalStoppedAt: null,
      expiresAt: eb.fn.coalesce(
        'expiresAt',
        eb(eb.cast<number>(eb.val(readyAt), 'bigint'), '+', eb.ref('expiresAfterMs')),
      ),
    }))
    .where('id', '=', transferId)
    .where('status', 'in', ['draft', 'arriving'])
    .whereRef('fileCount', '>=', 'expectedFiles')
    .returningAll()
    .executeTakeFirst();
}

export type ScanState = Exclude<TransferRow['scanState'], 'partial'>;

/**
 * A public transfer keeps offering its scanned files while new ones are held. Returns undefined if it is being
 * deleted.
 */
export async function updateScanState(
  trx: Trx,
  { transferId, scanState }: { transferId: string; scanState: ScanState },
): Promise<TransferRow | undefined> {
  const isWaiting = scanState === 'checking' || scanState === 'unscanned';
  return trx
    .updateTable('transfers')
    .set((eb) => ({
      scanState: isWaiting
        ? eb
            .case()
            .when(eb.and([eb('status', 'in', PUBLIC_STATUSES), eb('announceHeldAt', 'is', null)]))
            .then('partial' as const)
            .else(eb.cast<ScanState>(eb.val(scanState), 'text'))
            .end()
        : scanState,
    }))
    .where('id', '=', transferId)
    .where('status', '!=', 'deleting')
    .returningAll()
    .executeTakeFirst();
}

export async function updateAnnounceHeld(
  trx: Trx,
  transferId: string,
  announceHeldAt: Instant | null,
): Promise<void> {
  await trx.updateTable('transfers').set({ announceHeldAt }).where('id', '=', transferId).execute();
}

export async function deleteEmptyDraft(trx: Trx, transferId: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('transfers')
    .where('id', '=', transferId)
    .where('status', 'in', ['draft', 'arriving'])
    .where('fileCount', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads').select('uploads.id').whereRef('uploads.transferId', '=', 'transfers.id'),
        ),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export type Sender = Pick<
  UserRow,
  'id' | 'name' | 'email' | 'language' | 'tier' | 'isAdmin' | 'registeredAt'
>;

export async function selectSender(trx: Trx, userId: string): Promise<Sender> {
  return trx
    .selectFrom('users')
    .select(['id', 'name', 'email', 'language', 'tier', 'isAdmin', 'registeredAt'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
}
