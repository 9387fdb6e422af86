import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Database } from '../../platform/db/schema.ts';

/** As it stands: `like` would take the underscore of a username for any sign. */
export function beginsWith(
  eb: ExpressionBuilder<Database, 'users'>,
  column: 'users.usernameKey' | 'users.emailKey',
  text: string,
): Expression<SqlBool> {
  return eb(eb.fn<string>('substr', [column, eb.lit(1), eb.lit([...text].length)]), '=', text);
}
