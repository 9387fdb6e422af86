import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { lockUser } from './queries.ts';

/** Holds somebody's row until the transaction ends; undefined for a deleted account. */
export function lockAccount(trx: Trx, userId: string): Promise<UserRow | undefined> {
  return lockUser(trx, userId);
}
