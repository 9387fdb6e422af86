import type { TransferRow } from '../schema.ts';

/** The link of such a transfer works. */
export const PUBLIC_STATUSES = ['arriving', 'ready'] as const satisfies TransferRow['status'][];
