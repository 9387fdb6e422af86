import type { Db } from '../../platform/db/open.ts';
import type { AbuseReportsTable } from '../../platform/db/schema.ts';

/** The first with an id stays; a transfer that is gone takes none. */
export async function insertReport(db: Db, report: Omit<AbuseReportsTable, 'settledAt'>): Promise<void> {
  await db
    .insertInto('abuseReports')
    .values({ ...report, settledAt: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
