import type { SchemaModule } from 'kysely';

/** A covering index to sum up what open uploads may still send. */
export const indexes = (schema: SchemaModule) => [
  schema
    .createIndex('uploads_state_sizeBytes_receivedBytes')
    .on('uploads')
    .columns(['state', 'sizeBytes', 'receivedBytes']),
];
