import { type CreateIndexBuilder, type SchemaModule, sql } from 'kysely';

/** Keeps jobs and lists from reading whole tables, all of which may have millions of rows. */
export function indexes(
  schema: SchemaModule,
): Pick<CreateIndexBuilder<never>, 'execute' | 'compile' | 'toOperationNode'>[] {
  const index = (table: string, columns: string[]) =>
    schema
      .createIndex([table, ...columns].join('_'))
      .ifNotExists()
      .on(table)
      .columns(columns);
  const partial = (name: string, table: string, columns: string[]) =>
    schema.createIndex(`${table}_${name}`).ifNotExists().on(table).columns(columns);
  return [
    index('transfers', ['status', 'isExpired', 'expiresAt']),
    index('transfers', ['userId', 'status', 'expiresAt', 'id']),
    index('transfers', ['userId', 'status', 'totalBytes', 'id']),
    partial('arrived', 'transfers', ['invitationId', 'status', 'fileCount', 'totalBytes']).where(
      sql.ref('invitationId'),
      'is not',
      null,
    ),
    // Queries use the same bound: FILES_PER_SEARCH.
    partial('large', 'transfers', ['userId']).where(sql.ref('fileCount'), '>', sql.lit(2000)),
    partial('unchecked', 'files', ['transferId', 'position']).where(sql.ref('checkedAt'), 'is', null),
    index('uploads', ['transferId', 'state', 'lastActivityAt']),
    partial('unfinished', 'downloads', ['transferId']).where(sql.ref('completedAt'), 'is', null),
    partial('waiting', 'jobs', ['runAt', 'createdAt', 'id', 'name', 'leasedUntil']).where(
      sql.ref('failedAt'),
      'is',
      null,
    ),
    partial('leased', 'jobs', ['leasedUntil']).where(sql.ref('leasedUntil'), 'is not', null),
    index('mails', ['userId', 'kind', 'state']),
    index('webhookDeliveries', ['webhookId', 'state', 'createdAt', 'id']),
    index('uploadInvitationVerifications', ['createdAt']),
    index('invoices', ['providerSubscriptionId', 'status', 'createdAt']),
  ] as never;
}
