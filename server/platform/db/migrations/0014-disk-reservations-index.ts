import type { Kysely } from 'kysely';

/** Adds up what open uploads may still send without reading their rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('uploads_state_sizeBytes_receivedBytes')
    .ifNotExists()
    .on('uploads')
    .columns(['state', 'sizeBytes', 'receivedBytes'])
    .execute();
}
