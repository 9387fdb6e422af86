import { type SchemaModule, sql } from 'kysely';

/** Finds what one visitor has sent to an invitation. */
export const indexes = (schema: SchemaModule) => [
  schema
    .createIndex('transfers_visitorKey')
    .on('transfers')
    .column('visitorKey')
    .where(sql.ref('visitorKey'), 'is not', null),
];
