import type { z } from 'zod';
import type { reportTransfer } from '../../../../contracts/transfers/downloads/downloads.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import type { AbuseReportsTable } from '../../../platform/db/schema/downloads.ts';
import { requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { keyedId } from '../../../platform/lib/tokens.ts';
import type { Share } from '../queries.ts';

const PER_ADDRESS = { limit: 20, windowMs: HOUR_MS };
const PER_TRANSFER = { limit: 200, windowMs: DAY_MS };

type Report = z.output<NonNullable<typeof reportTransfer.body>>;
type Reporter = { ipAddress: string; addressKey: string };

/** Stores at most one report per address, transfer and UTC day. Throws AppError `too_many_requests`. */
export async function createReport(
  context: Context,
  { id: transferId }: Pick<Share, 'id'>,
  { reason, details, email, ipAddress, addressKey }: Report & Reporter,
): Promise<void> {
  const { db, clock, secret } = context;
  await requireWithinLimit(context, { key: `report:${addressKey}`, ...PER_ADDRESS });
  await requireWithinLimit(context, { key: `report-transfer:${transferId}`, ...PER_TRANSFER });
  const now = clock.now();
  await insertReport(db, {
    id: keyedId(secret, 'report', transferId, addressKey, toIso(now).slice(0, 10)),
    transferId,
    reason,
    details: details || null,
    reporterEmail: email ?? null,
    ipAddress,
    createdAt: now,
  });
}

async function insertReport(db: Db, report: Omit<AbuseReportsTable, 'settledAt'>): Promise<void> {
  await db
    .insertInto('abuseReports')
    .values({ ...report, settledAt: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
