import type { SchemaModule } from 'kysely';

/** Finds the subscriptions with an open invoice for the sweep. */
export const indexes = (schema: SchemaModule) => [
  schema.createIndex('invoices_status').on('invoices').columns(['status', 'providerSubscriptionId']),
];
