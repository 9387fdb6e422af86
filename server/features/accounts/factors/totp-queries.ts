import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { TotpSecretsTable } from '../../../platform/db/schema/accounts.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';

type TotpSecret = Selectable<TotpSecretsTable>;

/** Returns false if the user has a confirmed secret, which stays. */
export async function saveSecret(
  db: Db,
  row: Pick<TotpSecret, 'userId' | 'sealedSecret' | 'createdAt'>,
): Promise<boolean> {
  const { sealedSecret, createdAt } = row;
  const saved = await db
    .insertInto('totpSecrets')
    .values({ ...row, confirmedAt: null, lastUsedAt: null })
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ sealedSecret, createdAt })
        .where('totpSecrets.confirmedAt', 'is', null),
    )
    .returning('userId')
    .executeTakeFirst();
  return saved !== undefined;
}

export async function findSecret(db: Db, userId: string): Promise<TotpSecret | undefined> {
  return db.selectFrom('totpSecrets').selectAll().where('userId', '=', userId).executeTakeFirst();
}

/** Returns false if the secret was confirmed or replaced meanwhile. */
export async function confirmSecret(
  trx: Trx,
  { userId, sealedSecret, step, now }: Pick<TotpSecret, 'userId' | 'sealedSecret'> & Use,
): Promise<boolean> {
  const confirmed = await trx
    .updateTable('totpSecrets')
    .set({ confirmedAt: now, lastUsedAt: now, lastStep: step })
    .where('userId', '=', userId)
    .where('sealedSecret', '=', sealedSecret)
    .where('confirmedAt', 'is', null)
    .returning('userId')
    .executeTakeFirst();
  return confirmed !== undefined;
}

type Use = { step: number; now: Instant };

/** Accepts each time step once: returns false for a code of this step or an earlier one. */
export async function useStep(trx: Trx, { userId, step, now }: { userId: string } & Use): Promise<boolean> {
  const used = await trx
    .updateTable('totpSecrets')
    .set({ lastStep: step, lastUsedAt: now })
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .where('lastStep', '<', step)
    .returning('userId')
    .executeTakeFirst();
  return used !== undefined;
}

export async function deleteSecret(trx: Trx, userId: string): Promise<TotpSecret | undefined> {
  return trx.deleteFrom('totpSecrets').where('userId', '=', userId).returningAll().executeTakeFirst();
}
