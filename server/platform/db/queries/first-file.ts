import { expressionBuilder } from 'kysely';
import type { Database } from '../schema.ts';

const eb = expressionBuilder<Database, 'transfers'>();

const hasNoTitle = eb.and([
  eb.or([eb('transfers.title', 'is', null), eb('transfers.title', '=', '')]),
  eb('transfers.encryption', 'is', null),
]);

/** Rows of complete uploads stay, so they name the first file of an arriving transfer, too. */
const firstAnnounced = eb
  .selectFrom('uploads as first')
  .select('first.fileName')
  .whereRef('first.transferId', '=', 'transfers.id')
  .where(hasNoTitle)
  .orderBy('first.position')
  .limit(1);

const firstComplete = eb
  .selectFrom('files as first')
  .select('first.originalName')
  .whereRef('first.transferId', '=', 'transfers.id')
  .where(hasNoTitle)
  .orderBy('first.position')
  .limit(1);

/**
 * A column for statements over `transfers`, as `nameTransfer` needs it: null if the transfer has a title or no files, or
 * is end-to-end encrypted.
 */
export const firstFileName = eb
  .case()
  .when('transfers.status', '=', 'arriving')
  .then(firstAnnounced)
  .else(firstComplete)
  .end()
  .$castTo<string | null>()
  .as('firstFileName');
