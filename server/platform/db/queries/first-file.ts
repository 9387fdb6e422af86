import { expressionBuilder } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * A column for statements over `transfers`, as `nameTransfer` needs it: null if the transfer has a title or no files, or
 * is end-to-end encrypted.
 */
export const firstFileName = expressionBuilder<Database, 'transfers'>()
  .selectFrom('files as first')
  .select('first.originalName')
  .whereRef('first.transferId', '=', 'transfers.id')
  .where((eb) => eb.or([eb('transfers.title', 'is', null), eb('transfers.title', '=', '')]))
  .where('transfers.encryption', 'is', null)
  .orderBy('first.position')
  .limit(1)
  .as('firstFileName');
