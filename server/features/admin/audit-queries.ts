import type { Expression, Insertable, Selectable, SqlBool } from 'kysely';
import type { Db, Trx } from '../../platform/db/open.ts';
import type { AuditLogTable } from '../../platform/db/schema.ts';
import type { TextSearch } from '../../platform/db/text-search.ts';
import type { Looked } from '../../platform/db/walk.ts';
import type { Position } from '../../platform/lib/cursor.ts';

export type AuditRow = Selectable<AuditLogTable>;

/** At most some thousand rows. */
export async function insertActs(trx: Trx, rows: Insertable<AuditLogTable>[]): Promise<void> {
  await trx.insertInto('auditLog').values(rows).execute();
}

type AuditSlice = {
  contains: TextSearch | undefined;
  action: string | undefined;
  /** Begins behind this one. */
  after: Position | undefined;
  limit: number;
};

/** The next acts, the newest first, each with whether it passes the filters. */
export async function selectActSlice(
  db: Db,
  { contains, action, after, limit }: AuditSlice,
): Promise<(AuditRow & Looked)[]> {
  return await db
    .selectFrom('auditLog')
    .selectAll()
    .select('at as sortKey')
    .select((eb) => {
      const conditions: Expression<SqlBool>[] = [];
      if (action) conditions.push(eb.or([eb('action', '=', action), eb('action', 'like', `${action}.%`)]));
      const texts = (['subject', 'actorName', 'subjectId'] as const).map((column) => eb.ref(column));
      if (contains) conditions.push(eb.or(texts.map(contains)));
      return eb.case().when(eb.and(conditions)).then(1).else(0).end().as('isWanted');
    })
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
