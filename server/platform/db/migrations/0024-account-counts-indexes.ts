import type { SchemaModule } from 'kysely';

/** Pages of an account's open uploads, and recounts of what it has that read no rows of `transfers`. */
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
