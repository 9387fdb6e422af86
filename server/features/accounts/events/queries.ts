import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { deleteInBatches } from '../../../platform/db/queries/batches.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import type { AccountEventsTable } from '../../../platform/db/schema/accounts.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { Position } from '../../../platform/lib/cursor.ts';

type EventRow = Selectable<AccountEventsTable>;

/** Events that one statement deletes at most. The next event deletes the rest. */
const OLDEST_PER_STATEMENT = 100;

/** Keeps the `max` newest events of the user. */
export async function insertEvent(
  trx: Trx,
  row: Insertable<AccountEventsTable>,
  { max }: { max: number },
): Promise<void> {
  await trx.insertInto('accountEvents').values(row).execute();
  await trx
    .deleteFrom('accountEvents')
    .where('userId', '=', row.userId)
    .where((eb) =>
      eb(
        'id',
        'in',
        eb
          .selectFrom('accountEvents')
          .select('id')
          .where('userId', '=', row.userId)
          .orderBy('createdAt', 'desc')
          .orderBy('id', 'desc')
          .limit(OLDEST_PER_STATEMENT)
          .offset(max),
      ),
    )
    .execute();
}

export function listEvents(
  db: Db,
  { userId, after, limit }: { userId: string; after: Position | undefined; limit: number },
): Promise<(EventRow & { sortKey: Instant })[]> {
  return db
    .selectFrom('accountEvents')
    .selectAll()
    .select('createdAt as sortKey')
    .where('userId', '=', userId)
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The network addresses of the user's last sign-ins. */
export async function listSignInAddresses(db: Db, userId: string): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('accountEvents')
    .select('ipAddress')
    .where('userId', '=', userId)
    .where('kind', 'in', ['sign-in', 'sign-in-new-device'])
    .execute();
  return rows.map(({ ipAddress }) => ipAddress);
}

export async function deleteEventsBefore(db: Db, instant: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'accountEvents', key: ['id'] }, (eb) => eb('createdAt', '<', instant));
}
