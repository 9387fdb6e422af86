import { type CreateIndexBuilder, type SchemaModule, sql } from 'kysely';

/** For the outbox of the admin area. */
export const indexes = (
  schema: SchemaModule,
): Pick<CreateIndexBuilder<never>, 'execute' | 'compile' | 'toOperationNode'>[] =>
  [
    schema
      .createIndex('jobs_mail')
      .ifNotExists()
      .on('jobs')
      .columns(['payload'])
      .where(sql.ref('name'), '=', sql.lit('send-mail')),
  ] as never;
