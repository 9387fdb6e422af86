import type { SchemaModule } from 'kysely';

/** Finds every file with a content that an administrator blocks or releases. */
export const indexes = (schema: SchemaModule) => [
  schema.createIndex('files_sha256').on('files').columns(['sha256', 'id']),
];
