import { type SchemaModule, sql } from 'kysely';

/** Finds the sessions that an OpenID Connect provider ends. */
export const indexes = (schema: SchemaModule) => [
  schema
    .createIndex('sessions_providerId_providerSession')
    .on('sessions')
    .columns(['providerId', 'providerSession'])
    .where(sql.ref('providerId'), 'is not', null),
];
