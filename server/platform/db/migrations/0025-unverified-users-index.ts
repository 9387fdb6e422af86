import { type CreateIndexBuilder, type SchemaModule, sql } from 'kysely';

/** Finds accounts that were never verified, oldest first, and those with a claimed name or address. */
export const indexes = (
  schema: SchemaModule,
): Pick<CreateIndexBuilder<never>, 'execute' | 'compile' | 'toOperationNode'>[] =>
  [
    schema
      .createIndex('users_unverified')
      .ifNotExists()
      .on('users')
      .columns(['createdAt', 'id'])
      .where(sql.ref('emailVerified'), '=', sql.lit(0)),
    schema
      .createIndex('users_claiming')
      .ifNotExists()
      .on('users')
      .columns(['id'])
      .where(sql.ref('isClaiming'), '=', sql.lit(1)),
  ] as never;
