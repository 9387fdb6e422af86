import type { SchemaModule } from 'kysely';

/** Adds up what open uploads may still send without reading their rows. */
export const indexes = (schema: SchemaModule) => [
  schema
    .createIndex('uploads_state_sizeBytes_receivedBytes')
    .on('uploads')
    .columns(['state', 'sizeBytes', 'receivedBytes']),
];
