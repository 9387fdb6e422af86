import type { Insertable, Updateable } from 'kysely';
import { repeatInBatches } from '../../platform/db/batches.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { InvitationRow, TransferRow, UploadInvitationsTable } from '../../platform/db/schema.ts';

/** Whose invitation it is, and which. */
export type OwnInvitation = { senderId: string; id: string };

/** Exact while the sender's row is held. */
export async function countInvitations(trx: Trx, senderId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('uploadInvitations')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('senderId', '=', senderId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertInvitation(
  trx: Trx,
  row: Insertable<UploadInvitationsTable>,
): Promise<InvitationRow> {
  return trx.insertInto('uploadInvitations').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function listInvitationsOf(db: Db, senderId: string): Promise<InvitationRow[]> {
  return db
    .selectFrom('uploadInvitations')
    .selectAll()
    .where('senderId', '=', senderId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function findOwnInvitation(
  db: Db,
  { senderId, id }: OwnInvitation,
): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('uploadInvitations')
    .selectAll()
    .where('id', '=', id)
    .where('senderId', '=', senderId)
    .executeTakeFirst();
}

export async function updateOwnInvitation(
  db: Db,
  { senderId, id }: OwnInvitation,
  changes: Updateable<UploadInvitationsTable>,
): Promise<InvitationRow | undefined> {
  return db
    .updateTable('uploadInvitations')
    .set((eb) => ({ title: eb.ref('title'), ...changes }))
    .where('id', '=', id)
    .where('senderId', '=', senderId)
    .returningAll()
    .executeTakeFirst();
}

/** What arrived through it stays; the references to it become null. */
export async function deleteInvitationRow(trx: Trx, id: string): Promise<void> {
  await repeatInBatches(async (rows) => {
    const { numUpdatedRows } = await trx
      .updateTable('transfers')
      .set({ invitationId: null })
      .where('id', 'in', (eb) =>
        eb.selectFrom('transfers').select('id').where('invitationId', '=', id).limit(rows),
      )
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
  await trx.deleteFrom('uploadInvitations').where('id', '=', id).execute();
}

/** Visitors' transfers that are not whole yet. */
export async function listDraftsOf(trx: Trx, invitationId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('transfers')
    .select('id')
    .where('invitationId', '=', invitationId)
    .where('status', '=', 'draft')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export type ArrivedTransfer = Pick<
  TransferRow,
  'id' | 'receivedFrom' | 'message' | 'fileCount' | 'totalBytes' | 'readyAt' | 'expiresAt'
>;

/** The newest first. */
export async function listArrivedTransfers(
  db: Db,
  invitationId: string,
  limit: number,
): Promise<ArrivedTransfer[]> {
  return db
    .selectFrom('transfers')
    .select(['id', 'receivedFrom', 'message', 'fileCount', 'totalBytes', 'readyAt', 'expiresAt'])
    .where('invitationId', '=', invitationId)
    .where('status', '=', 'ready')
    .orderBy('readyAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
