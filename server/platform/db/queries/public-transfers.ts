import type { TransferRow } from '../schema.ts';

/** The link of such a transfer works. */
export const PUBLIC_STATUSES = ['arriving', 'ready'] as const satisfies TransferRow['status'][];

/**
 * All other statuses. Exclude them in statements by id: with `status in PUBLIC_STATUSES`, SQLite would read all public
 * transfers by the index of that column.
 */
export const CLOSED_STATUSES = ['draft', 'earlier', 'deleting'] as const satisfies TransferRow['status'][];
