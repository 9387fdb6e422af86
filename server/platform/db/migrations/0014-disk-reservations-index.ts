import type { SchemaModule } from 'kysely';

/** Covers the sum of what open uploads may still send. */
export const indexes = (schema: SchemaModule) => [
  schema
    .createIndex('uploads_state_sizeBytes_receivedBytes')
    .on('uploads')
    .columns(['state', 'sizeBytes', 'receivedBytes']),
];
