import type { OperatorContext } from '../../context.ts';
import { isUniqueViolation } from '../../platform/db/engines/errors.ts';
import type { Tier } from '../../platform/db/schema/column-types.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addAccount, updateUser } from '../accounts/index.ts';
import { markOfUser } from './marks.ts';
import { insertItem } from './queries.ts';

export type ImportedAccount = {
  sourceId: string;
  name: string;
  username: string;
  email: string;
  /** In one of our formats. */
  passwordHash: string;
  isAdmin: boolean;
  createdAt: number;
};

/**
 * Creates the account and records it in one transaction. The operator vouches for the address, so it counts as
 * verified. Returns undefined if the username or address was taken meanwhile.
 */
export async function importAccount(
  { db, clock }: Pick<OperatorContext, 'db' | 'clock'>,
  importId: string,
  { account, tier }: { account: ImportedAccount; tier: Tier },
): Promise<string | undefined> {
  const { sourceId, isAdmin, createdAt, ...person } = account;
  try {
    return await transaction(db, async (trx) => {
      const { id } = await addAccount({ db: trx, clock }, person, { tier, isAdmin });
      const user = await updateUser(trx, id, { createdAt, firstVerifiedAt: createdAt });
      await insertItem(trx, {
        importId,
        kind: 'user',
        sourceId,
        targetId: id,
        state: 'created',
        mark: markOfUser(user),
        createdAt: clock.now(),
      });
      return id;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/** Records that the other product's user is this account. */
export async function joinAccount(
  { db, clock }: Pick<OperatorContext, 'db' | 'clock'>,
  importId: string,
  { sourceId, userId }: { sourceId: string; userId: string },
): Promise<void> {
  const item = { importId, kind: 'user', sourceId, targetId: userId, state: 'joined', mark: null } as const;
  await transaction(db, (trx) => insertItem(trx, { ...item, createdAt: clock.now() }));
}
