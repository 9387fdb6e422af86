import type { Expression, ExpressionBuilder, SqlBool, StringReference } from 'kysely';
import type { Position } from '../../lib/cursor.ts';

/** Selects the rows after a page's last row, for lists ordered by `time` and then `id`, both descending. */
export function isOlderThan<DB, TB extends keyof DB>(
  eb: ExpressionBuilder<DB, TB>,
  { time, id }: { time: StringReference<DB, TB>; id: StringReference<DB, TB> },
  last: Position,
): Expression<SqlBool> {
  const at = Number(last.key) as never;
  return eb.and([eb(time, '<=', at), eb.or([eb(time, '<', at), eb(id, '<', last.id as never)])]);
}
