import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db, Trx } from '../../../../platform/db/open.ts';
import type {
  IdentityProvidersTable,
  ProviderDomainsTable,
} from '../../../../platform/db/schema/accounts.ts';
import type { IdentityProviderRow } from '../../../../platform/db/schema.ts';

export type DomainRow = Selectable<ProviderDomainsTable>;

export function listProviderRows(db: Db): Promise<IdentityProviderRow[]> {
  return db.selectFrom('identityProviders').selectAll().orderBy('createdAt').orderBy('id').execute();
}

export async function insertProvider(
  trx: Trx,
  row: Insertable<IdentityProvidersTable>,
): Promise<IdentityProviderRow> {
  return trx.insertInto('identityProviders').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Locks the row until the transaction ends. */
export async function lockProviderRow(trx: Trx, id: string): Promise<IdentityProviderRow | undefined> {
  return trx
    .updateTable('identityProviders')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateProviderRow(
  trx: Trx,
  id: string,
  changes: Updateable<IdentityProvidersTable>,
): Promise<IdentityProviderRow> {
  return trx
    .updateTable('identityProviders')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteProviderRow(trx: Trx, id: string): Promise<IdentityProviderRow | undefined> {
  return trx.deleteFrom('identityProviders').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function countLinkedAccounts(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('externalIdentities')
    .select((eb) => ['providerId', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .groupBy('providerId')
    .execute();
  return new Map(rows.map(({ providerId, count }) => [providerId, count]));
}

export function listDomainRows(db: Db): Promise<DomainRow[]> {
  return db.selectFrom('providerDomains').selectAll().execute();
}

export async function saveDomainRow(db: Db, row: Insertable<ProviderDomainsTable>): Promise<void> {
  const { provedAt, checkedAt, problem } = row;
  await db
    .insertInto('providerDomains')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['providerId', 'domain']).doUpdateSet({ provedAt, checkedAt, problem }),
    )
    .execute();
}

export async function isProvedDomain(
  db: Db,
  { providerId, domain }: Pick<DomainRow, 'providerId' | 'domain'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('providerDomains')
    .select('domain')
    .where('providerId', '=', providerId)
    .where('domain', '=', domain)
    .where('provedAt', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOtherDomainRows(trx: Trx, providerId: string, kept: string[]): Promise<void> {
  await trx
    .deleteFrom('providerDomains')
    .where('providerId', '=', providerId)
    .where('domain', 'not in', [...kept, ''])
    .execute();
}

export async function deleteDomainRows(trx: Trx, providerId: string): Promise<void> {
  await trx.deleteFrom('providerDomains').where('providerId', '=', providerId).execute();
}
