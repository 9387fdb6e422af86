import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { Id, Instant } from '../values/fields.ts';
import { formatCount } from '../values/format.ts';
import { ExpirationDaysFromNow, Undoable } from './transfers.ts';

/** Transfers per call. */
export const TRANSFERS_PER_BATCH_MAX = 100;

const TransferIds = z
  .array(Id)
  .min(1, 'Please choose at least one transfer')
  .max(TRANSFERS_PER_BATCH_MAX, `Please choose at most ${formatCount(TRANSFERS_PER_BATCH_MAX)} transfers`);

export const BatchResult = z
  .object({
    transferId: z.string(),
    error: z
      .object({ code: z.string(), detail: z.string().describe('A sentence for people.') })
      .nullable()
      .describe('Why this transfer was refused; it is unchanged. Null on success.'),
  })
  .describe('What happened to one transfer of the batch.');
export type BatchResult = z.infer<typeof BatchResult>;

const EXTENDED = BatchResult.extend({
  expiresAt: Instant.nullable().describe('The new time of expiry. Null if it was refused.'),
});
export type ExtendedResult = z.infer<typeof EXTENDED>;

const PER_ITEM = 'Each transfer is changed by itself, so some may be refused while the others succeed.';

export const deleteTransfers = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/batch-delete',
  access: 'signed-in',
  summary: 'Delete up to 100 transfers and all their files',
  description: PER_ITEM,
  body: z.strictObject({ transferIds: TransferIds, undoable: Undoable }),
  response: z.object({ results: z.array(BatchResult) }),
});

export const restoreTransfers = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/batch-restore',
  access: 'signed-in',
  summary: 'Bring back up to 100 transfers that were deleted with `undoable` within the last 10 seconds',
  description: PER_ITEM,
  body: z.strictObject({ transferIds: TransferIds }),
  response: z.object({ results: z.array(BatchResult) }),
});

export const extendTransfers = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/batch-extend',
  access: 'signed-in',
  summary: 'Set a new expiry for up to 100 transfers; reopens expired ones',
  description: PER_ITEM,
  body: z.strictObject({ transferIds: TransferIds, expirationDays: ExpirationDaysFromNow }),
  response: z.object({ results: z.array(EXTENDED) }),
});
