import { type Kysely, sql } from 'kysely';

/**
 * The scrub walks all files by the first one. The others hold doubtful and damaged files only, so that finding
 * those costs nothing however many files there are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const create = (name: string) => db.schema.createIndex(name).ifNotExists().on('files');
  await create('files_verifyAt').column('verifyAt').execute();
  await create('files_suspected').column('verifyAt').where(sql.ref('suspectedAt'), 'is not', null).execute();
  await create('files_damagedDue').column('verifyAt').where(sql.ref('damagedAt'), 'is not', null).execute();
  await create('files_damaged')
    .columns(['damagedAt', 'id'])
    .where(sql.ref('damagedAt'), 'is not', null)
    .execute();
  await create('files_damageUntold')
    .columns(['transferId', 'damagedAt'])
    .where(sql.ref('damagedAt'), 'is not', null)
    .where(sql.ref('damageToldAt'), 'is', null)
    .execute();
}
