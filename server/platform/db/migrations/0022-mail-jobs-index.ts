import { type CreateIndexBuilder, type SchemaModule, sql } from 'kysely';

/** Finds the job of a queued mail, for the outbox of the admin area. */
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
