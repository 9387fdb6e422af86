import { z } from 'zod';
import type { Db } from '../../db/open.ts';
import type { Instant } from '../../db/schema/column-types.ts';
import { transaction } from '../../db/transaction.ts';
import { randomId } from '../../lib/tokens.ts';

const KEY = 'installation';
const CLAIM_PREFIX = 'installationClaim.';

const STORAGE_KINDS = ['disk', 'bucket'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

const InstallationRecord = z.object({ id: z.string(), storages: z.array(z.enum(STORAGE_KINDS)) });

export type InstallationRecord = z.infer<typeof InstallationRecord>;

/**
 * `claims` are the ids whose markers this database began to write, so that a killed first start isn't
 * mistaken for another installation.
 */
export type KnownInstallation = { record: InstallationRecord | undefined; claims: ReadonlySet<string> };

/** One statement, so that no reader sees the claims deleted but the record missing. */
export async function readKnownInstallation(db: Db): Promise<KnownInstallation> {
  const rows = await db
    .selectFrom('settings')
    .select(['key', 'value'])
    .where((eb) => eb.or([eb('key', '=', KEY), eb('key', 'like', `${CLAIM_PREFIX}%`)]))
    .execute();
  const row = rows.find(({ key }) => key === KEY);
  const claims = rows.filter(({ key }) => key !== KEY).map(({ key }) => key.slice(CLAIM_PREFIX.length));
  return { record: row && InstallationRecord.parse(JSON.parse(row.value)), claims: new Set(claims) };
}

/** Call before writing a marker with a new id. Idempotent. */
export async function claimInstallationId(db: Db, id: string, now: Instant): Promise<void> {
  await db
    .insertInto('settings')
    .values({ id: randomId(), key: CLAIM_PREFIX + id, value: '{}', updatedAt: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

/** Conditional on `before`: if another process was faster, it does nothing. Deletes the claims. */
export async function recordInstallation(
  db: Db,
  {
    before,
    record,
    now,
  }: { before: InstallationRecord | undefined; record: InstallationRecord; now: Instant },
): Promise<void> {
  const row = { value: JSON.stringify(record), updatedAt: now };
  await transaction(db, async (trx) => {
    if (before) {
      await trx
        .updateTable('settings')
        .set(row)
        .where('key', '=', KEY)
        .where('value', '=', JSON.stringify(before))
        .execute();
      return;
    }
    await trx
      .insertInto('settings')
      .values({ id: randomId(), key: KEY, ...row })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    await trx.deleteFrom('settings').where('key', 'like', `${CLAIM_PREFIX}%`).execute();
  });
}

export async function overwriteInstallation(db: Db, record: InstallationRecord, now: Instant): Promise<void> {
  await transaction(db, async (trx) => {
    await trx.deleteFrom('settings').where('key', '=', KEY).execute();
    await trx.deleteFrom('settings').where('key', 'like', `${CLAIM_PREFIX}%`).execute();
    await trx
      .insertInto('settings')
      .values({ id: randomId(), key: KEY, value: JSON.stringify(record), updatedAt: now })
      .execute();
  });
}
