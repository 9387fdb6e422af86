import type { Insertable } from 'kysely';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import type { Db, Trx } from '../../platform/db/open.ts';
import { deleteInBatches } from '../../platform/db/queries/batches.ts';
import { isOlderThan } from '../../platform/db/queries/newest-first.ts';
import type { AccountInvitationsTable } from '../../platform/db/schema/accounts.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { AccountInvitationRow } from '../../platform/db/schema.ts';
import type { Position } from '../../platform/lib/cursor.ts';

export async function existsAccount(db: Db, emailKey: string): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('emailKey', '=', emailKey)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return user !== undefined;
}

/** Of the account with this username. */
export async function findLanguage(db: Db, username: string): Promise<LanguageCode | null> {
  const user = await db
    .selectFrom('users')
    .select('language')
    .where('usernameKey', '=', username.toLowerCase())
    .executeTakeFirst();
  return user?.language ?? null;
}

/** Replaces an invitation of the same address; returns undefined and changes nothing if that is still open. */
export async function insertInvitation(
  trx: Trx,
  row: Insertable<AccountInvitationsTable>,
): Promise<AccountInvitationRow | undefined> {
  return trx
    .insertInto('accountInvitations')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('emailKey')
        .doUpdateSet({ ...row, acceptedAt: null })
        .where((eb) =>
          eb.or([
            eb('accountInvitations.acceptedAt', 'is not', null),
            eb('accountInvitations.expiresAt', '<=', row.createdAt),
          ]),
        ),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Locks the row until the transaction ends; undefined if the invitation was accepted or revoked. */
export async function lockUnusedInvitation(trx: Trx, id: string): Promise<AccountInvitationRow | undefined> {
  return trx
    .updateTable('accountInvitations')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function updateInvitation(
  trx: Trx,
  id: string,
  changes: Pick<AccountInvitationRow, 'tokenHash' | 'mailId' | 'sentAt' | 'expiresAt'>,
): Promise<AccountInvitationRow> {
  return trx
    .updateTable('accountInvitations')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteUnusedInvitation(
  trx: Trx,
  id: string,
): Promise<AccountInvitationRow | undefined> {
  return trx
    .deleteFrom('accountInvitations')
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

type Lookup = { tokenHash: string; now: Instant };

export async function findOpenInvitation(
  db: Db,
  { tokenHash, now }: Lookup,
): Promise<AccountInvitationRow | undefined> {
  return db
    .selectFrom('accountInvitations')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('acceptedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function claimOpenInvitation(trx: Trx, { tokenHash, now }: Lookup): Promise<boolean> {
  const claimed = await trx
    .updateTable('accountInvitations')
    .set({ acceptedAt: now })
    .where('tokenHash', '=', tokenHash)
    .where('acceptedAt', 'is', null)
    .where('expiresAt', '>', now)
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function listInvitations(
  db: Db,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<(AccountInvitationRow & { sortKey: Instant })[]> {
  return db
    .selectFrom('accountInvitations')
    .selectAll()
    .select('createdAt as sortKey')
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function deleteInvitationOf(trx: Trx, emailKey: string): Promise<void> {
  await trx.deleteFrom('accountInvitations').where('emailKey', '=', emailKey).execute();
}

/** Includes accepted invitations, which keep their original expiry. */
export async function deleteInvitationsExpiredBefore(db: Db, instant: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'accountInvitations', key: ['id'] }, (eb) =>
    eb('expiresAt', '<=', instant),
  );
}
