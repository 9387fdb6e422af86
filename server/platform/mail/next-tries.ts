import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { sendMail } from './send-mail.ts';

/** When mails that wait are tried next, by their ids; mails without a job that waits are missing. */
export async function findNextTries(db: Db, mailIds: string[]): Promise<Map<string, number>> {
  if (mailIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .select(['payload', 'runAt'])
    // A literal: SQLite uses a partial index only if the condition is written as in the index.
    .where('name', '=', sql.lit(sendMail.name))
    .where(
      'payload',
      'in',
      mailIds.map((mailId) => JSON.stringify({ mailId })),
    )
    .where('leaseId', 'is', null)
    .where('failedAt', 'is', null)
    .execute();
  return new Map(
    rows.map(({ payload, runAt }) => [(JSON.parse(payload) as { mailId: string }).mailId, runAt]),
  );
}
