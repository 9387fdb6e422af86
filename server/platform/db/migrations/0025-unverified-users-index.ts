import { type CreateIndexBuilder, type SchemaModule, sql } from 'kysely';

/** Finds accounts that were never verified, oldest first, for the sweep that removes them. */
export const indexes = (
  schema: SchemaModule,
): Pick<CreateIndexBuilder<never>, 'execute' | 'compile' | 'toOperationNode'>[] =>
  [
    schema
      .createIndex('users_unverified')
      .ifNotExists()
      .on('users')
      .columns(['createdAt'])
      .where(sql.ref('emailVerified'), '=', sql.lit(0)),
  ] as never;
