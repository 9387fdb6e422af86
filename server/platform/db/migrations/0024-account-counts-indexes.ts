import { type SchemaModule, sql } from 'kysely';

/** Pages of a user's open uploads, and recounts of what an account has that read no rows. */
export function indexes(schema: SchemaModule) {
  return [
    schema
      .createIndex('uploads_open')
      .on('uploads')
      .columns(['userId', 'createdAt', 'position', 'id', 'repairsFileId'])
      .where(sql.ref('state'), '=', sql.lit('open')),
    schema.createIndex('transfers_counted').on('transfers').columns(['userId', 'status', 'fileCount']),
  ];
}
