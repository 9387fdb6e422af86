import { type NamedTransfer, nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { firstFileName } from '../../../platform/db/queries/first-file.ts';
import { CLOSED_STATUSES } from '../../../platform/db/queries/public-transfers.ts';

export async function selectShownTransfers(db: Db, ids: string[]) {
  if (ids.length === 0) return [];
  const rows = await readShown(db, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

export type ShownToAdmin = Awaited<ReturnType<typeof readShown>>[number];

function readShown(db: Db, ids: string[]) {
  return db
    .selectFrom('transfers')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select([
      'transfers.id',
      'transfers.token',
      'transfers.status',
      'transfers.title',
      'transfers.fileCount',
      'transfers.totalBytes',
      'transfers.expectedFiles',
      'transfers.reservedBytes',
      'transfers.downloadCount',
      'transfers.createdAt',
      'transfers.expiresAt',
      'transfers.passwordHash',
      'transfers.encryption',
      'transfers.takenDownAt',
      'users.id as ownerId',
      'users.username as ownerName',
      'users.email as ownerEmail',
      firstFileName,
    ])
    .select((eb) =>
      eb
        .selectFrom('abuseReports')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('abuseReports.transferId', '=', 'transfers.id')
        .where('abuseReports.settledAt', 'is', null)
        .as('openReports'),
    )
    .where('transfers.id', 'in', ids)
    .where('transfers.status', 'not in', CLOSED_STATUSES)
    .execute();
}

/** Also of transfers that are being deleted; their files are deleted later. */
export async function findTransferNames(trx: Trx, transferIds: string[]): Promise<Map<string, string>> {
  const rows: (NamedTransfer & { id: string })[] = await trx
    .selectFrom('transfers')
    .select(['transfers.id', 'transfers.title', 'transfers.encryption', 'transfers.fileCount', firstFileName])
    .where('transfers.id', 'in', transferIds)
    .execute();
  return new Map(rows.map((row) => [row.id, nameTransfer(row)]));
}

export async function findUsernames(trx: Trx, userIds: string[]): Promise<Map<string, string>> {
  const rows = await trx.selectFrom('users').select(['id', 'username']).where('id', 'in', userIds).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

export async function settleReportsOf(
  trx: Trx,
  { transferId, now }: { transferId: string; now: number },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('abuseReports')
    .set({ settledAt: now })
    .where('transferId', '=', transferId)
    .where('settledAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
