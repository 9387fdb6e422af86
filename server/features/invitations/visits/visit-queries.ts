import type { Insertable } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { deleteInBatches } from '../../../platform/db/queries/batches.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { UploadInvitationVerificationsTable } from '../../../platform/db/schema/transfers.ts';
import type { VisitRow } from '../../../platform/db/schema.ts';

export type VisitSubject = { invitationId: string; emailKey: string };

/** Voids the unused codes of an address. Returns the ids of their visits. */
export async function deleteUnverifiedVisits(
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

type Attempt = VisitSubject & { now: Instant; requester: string; maxAttempts: number };

/** undefined if no attempt is left, the code is expired or used, or another address requested it. */
export async function countRequesterAttempt(
  db: Db,
  { requester, maxAttempts, ...open }: Attempt,
): Promise<VisitRow | undefined> {
  return ofOpenCode(db, open)
    .set((eb) => ({ askerAttempts: eb('askerAttempts', '+', 1) }))
    .where('askedFrom', '=', requester)
    .where('askerAttempts', '<', maxAttempts)
    .returningAll()
    .executeTakeFirst();
}

/** All other addresses share these attempts. undefined if none is left, or the code is expired or used. */
export async function countStrangerAttempt(
  db: Db,
  { requester, maxAttempts, ...open }: Attempt,
): Promise<VisitRow | undefined> {
  return ofOpenCode(db, open)
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where((eb) => eb.or([eb('askedFrom', 'is', null), eb('askedFrom', '!=', requester)]))
    .where('attempts', '<', maxAttempts)
    .returningAll()
    .executeTakeFirst();
}

function ofOpenCode(db: Db, { invitationId, emailKey, now }: VisitSubject & { now: Instant }) {
  return db
    .updateTable('uploadInvitationVerifications')
    .where('invitationId', '=', invitationId)
    .where('emailKey', '=', emailKey)
    .where('verified', '=', 0)
    .where('expiresAt', '>', now);
}

/** Returns false if another call was faster or a newer code replaced this one. */
export async function markVerified(trx: Trx, id: string, verifiedAt: Instant): Promise<boolean> {
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
