import type { Insertable } from 'kysely';
import { deleteInBatches } from '../../platform/db/batches.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant, UploadInvitationVerificationsTable, VisitRow } from '../../platform/db/schema.ts';

/** Who visits what. */
export type VisitSubject = { invitationId: string; emailKey: string };

/** Codes of that address that were not used; they are void now. Returns their visits' ids. */
export async function deleteUnprovedVisits(
  trx: Trx,
  { invitationId, emailKey }: VisitSubject,
): Promise<string[]> {
  const rows = await trx
    .deleteFrom('uploadInvitationVerifications')
    .where('invitationId', '=', invitationId)
    .where('emailKey', '=', emailKey)
    .where('verified', '=', 0)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** All visits to an invitation, with the rights they gave. Returns their ids. */
export async function deleteVisitsOf(trx: Trx, invitationId: string): Promise<string[]> {
  const rows = await trx
    .deleteFrom('uploadInvitationVerifications')
    .where('invitationId', '=', invitationId)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function insertVisit(
  trx: Trx,
  row: Insertable<UploadInvitationVerificationsTable>,
): Promise<void> {
  await trx.insertInto('uploadInvitationVerifications').values(row).execute();
}

/** Takes one of the code's tries; undefined when none is left, or the code is too old or used. */
export async function countVisitTry(
  db: Db,
  { invitationId, emailKey, now, tries }: VisitSubject & { now: Instant; tries: number },
): Promise<VisitRow | undefined> {
  return db
    .updateTable('uploadInvitationVerifications')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('invitationId', '=', invitationId)
    .where('emailKey', '=', emailKey)
    .where('verified', '=', 0)
    .where('expiresAt', '>', now)
    .where('attempts', '<', tries)
    .returningAll()
    .executeTakeFirst();
}

/** The address is proved, and the code used up. False when somebody was faster, or a newer code replaced it. */
export async function markProved(trx: Trx, id: string, verifiedAt: Instant): Promise<boolean> {
  const row = await trx
    .updateTable('uploadInvitationVerifications')
    .set({ verified: 1, verifiedAt, codeHash: '' })
    .where('id', '=', id)
    .where('verified', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteVisitsBefore(db: Db, createdBefore: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'uploadInvitationVerifications', key: ['id'] }, (eb) =>
    eb('createdAt', '<', createdBefore),
  );
}
