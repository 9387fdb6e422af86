import type { Insertable, Updateable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import { repeatInBatches } from '../../platform/db/queries/batches.ts';
import type { UploadInvitationsTable } from '../../platform/db/schema/transfers.ts';
import type { InvitationRow, TransferRow } from '../../platform/db/schema.ts';

export type OwnInvitation = { senderId: string; id: string };

/** Exact while the sender's row is locked. */
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

/** Transfers that came through it stay; their references to it become null. */
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
  'id' | 'receivedFrom' | 'message' | 'encryption' | 'fileCount' | 'totalBytes' | 'readyAt' | 'expiresAt'
>;

export async function listArrivedTransfers(
  db: Db,
  invitationId: string,
  limit: number,
): Promise<ArrivedTransfer[]> {
  return db
    .selectFrom('transfers')
    .select([
      'id',
      'receivedFrom',
      'message',
      'encryption',
      'fileCount',
      'totalBytes',
      'readyAt',
      'expiresAt',
    ])
    .where('invitationId', '=', invitationId)
    .where('status', '=', 'ready')
    .orderBy('readyAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export type Tally = {
  transfers: number;
  files: number;
  bytes: number;
  /** Includes announced files. */
  usedFiles: number;
  usedBytes: number;
};

export const EMPTY_TALLY: Tally = { transfers: 0, files: 0, bytes: 0, usedFiles: 0, usedBytes: 0 };

/** With this condition SQLite uses the index on the invitation, not the one on the status. */
const NOT_ARRIVED: TransferRow['status'][] = ['draft', 'deleting'];

type Scope = Pick<OwnInvitation, 'senderId'> & Partial<OwnInvitation>;

/**
 * Tallies all invitations of a sender, or one of them, by id, in two queries. Invitations without files are left out.
 */
export async function tallyInvitations(db: Db, scope: Scope): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const { invitationId, files, bytes } of await sumUploads(db, scope))
    tallies.set(invitationId!, { ...EMPTY_TALLY, usedFiles: Number(files), usedBytes: Number(bytes) });
  for (const { invitationId, transfers, files, bytes } of await sumArrivals(db, scope)) {
    const arrived = { transfers: Number(transfers), files: Number(files), bytes: Number(bytes) };
    tallies.set(invitationId!, { ...(tallies.get(invitationId!) ?? EMPTY_TALLY), ...arrived });
  }
  return tallies;
}

function sumArrivals(db: Db, { senderId, id }: Scope) {
  return db
    .selectFrom('transfers')
    .innerJoin('uploadInvitations', 'uploadInvitations.id', 'transfers.invitationId')
    .select(({ fn }) => [
      'transfers.invitationId',
      fn.countAll().as('transfers'),
      fn.sum('transfers.fileCount').as('files'),
      fn.sum('transfers.totalBytes').as('bytes'),
    ])
    .where('uploadInvitations.senderId', '=', senderId)
    .where('transfers.status', 'not in', NOT_ARRIVED)
    .$if(id !== undefined, (query) => query.where('uploadInvitations.id', '=', id!))
    .groupBy('transfers.invitationId')
    .execute();
}

/** Must count the same files as `sumUsed`. */
function sumUploads(db: Db, { senderId, id }: Scope) {
  return db
    .selectFrom('transfers')
    .innerJoin('uploadInvitations', 'uploadInvitations.id', 'transfers.invitationId')
    .innerJoin('uploads', 'uploads.transferId', 'transfers.id')
    .select(({ fn }) => [
      'transfers.invitationId',
      fn.countAll().as('files'),
      fn.sum('uploads.sizeBytes').as('bytes'),
    ])
    .where('uploadInvitations.senderId', '=', senderId)
    .where('transfers.status', '!=', 'deleting')
    .where('uploads.visitorKey', 'is not', null)
    .$if(id !== undefined, (query) => query.where('uploadInvitations.id', '=', id!))
    .groupBy('transfers.invitationId')
    .execute();
}
