import type { TransferRow } from '../schema.ts';

/** The link of such a transfer works. */
export const PUBLIC_STATUSES = ['arriving', 'ready'] as const satisfies TransferRow['status'][];

/** All others. For statements by id: SQLite would use the index by status for a condition on `PUBLIC_STATUSES`. */
export const CLOSED_STATUSES = ['draft', 'earlier', 'deleting'] as const satisfies TransferRow['status'][];
