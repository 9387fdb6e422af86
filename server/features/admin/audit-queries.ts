import type { Insertable, Selectable } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { AuditLogTable, Instant } from '../../platform/db/schema.ts';
import { prepareTextSearch } from '../../platform/db/text-search.ts';
import type { Position } from '../../platform/lib/cursor.ts';

export type AuditRow = Selectable<AuditLogTable>;

/** At most some thousand rows. */
export async function insertActs(trx: Trx, rows: Insertable<AuditLogTable>[]): Promise<void> {
  await trx.insertInto('auditLog').values(rows).execute();
}

type AuditRequest = {
  search: string | undefined;
  action: string | undefined;
  /** Begins behind this one. */
  after: Position | undefined;
  limit: number;
};

/** The newest first. */
export async function selectActs(
  db: Db,
  { search, action, after, limit }: AuditRequest,
): Promise<(AuditRow & { sortKey: Instant })[]> {
  const contains = search ? await prepareTextSearch(db, search) : undefined;
  return db
    .selectFrom('auditLog')
    .selectAll()
    .select('at as sortKey')
    .$if(Boolean(action), (query) =>
      query.where((eb) => eb.or([eb('action', '=', action!), eb('action', 'like', `${action}.%`)])),
    )
    .$if(contains !== undefined, (query) =>
      query.where((eb) =>
        eb.or([contains!(eb.ref('subject')), contains!(eb.ref('actorName')), contains!(eb.ref('subjectId'))]),
      ),
    )
    .$if(after !== undefined, (query) =>
      query
        .where('at', '<=', Number(after!.key))
        .where((eb) => eb.or([eb('at', '<', Number(after!.key)), eb('id', '<', after!.id)])),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
