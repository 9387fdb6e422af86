import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { selectUserByKey } from './queries.ts';

/** Whoever has this user name or e-mail address; undefined when nobody has. */
export async function findPerson(
  { db }: Pick<Context, 'db'>,
  nameOrAddress: string,
): Promise<UserRow | undefined> {
  const key = nameOrAddress.toLowerCase();
  return (await selectUserByKey(db, 'usernameKey', key)) ?? (await selectUserByKey(db, 'emailKey', key));
}
