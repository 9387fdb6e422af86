import type { SchemaModule } from 'kysely';

/** For pages of an account's open uploads, and for recounts without reading rows of `transfers`. */
export function indexes(schema: SchemaModule) {
  const index = (table: string, columns: string[]) =>
    schema
      .createIndex([table, ...columns].join('_'))
      .on(table)
      .columns(columns);
  return [
    index('uploads', ['userId', 'state', 'createdAt', 'position', 'id']),
    index('transfers', ['userId', 'status', 'fileCount']),
  ];
}
