import type { Db } from '../../platform/db/open.ts';
import type { TransferRow } from '../../platform/db/schema.ts';
import type { OwnInvitation } from './queries.ts';

/** What has come through one invitation and is still there, and what of its limits is taken. */
export type Tally = {
  transfers: number;
  files: number;
  bytes: number;
  /** With what is on its way. */
  usedFiles: number;
  usedBytes: number;
};

export const EMPTY_TALLY: Tally = { transfers: 0, files: 0, bytes: 0, usedFiles: 0, usedBytes: 0 };

/** Written like this, SQLite finds the transfers by their invitation and not by their status. */
const NOT_ARRIVED: TransferRow['status'][] = ['draft', 'deleting'];

type Scope = Pick<OwnInvitation, 'senderId'> & Partial<OwnInvitation>;

/** Of all invitations of a sender, or one of them, by id; two queries for all. Those without files are left out. */
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

/** What visitors have sent or announced, as `sumUsed` counts it. */
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
