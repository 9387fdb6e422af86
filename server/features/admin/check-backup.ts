import type { Context } from '../../context.ts';
import { findLastBackup } from '../../platform/db/last-backup.ts';
import { DAY_MS, toIso } from '../../platform/lib/clock.ts';
import type { Check } from './check-result.ts';

const OLD_DAYS = 7;
const FIX = 'Run the backup command each night, and see docs/self-hosting/backup.md for other ways.';

/** How old the newest backup is that the operator's command has completed. */
export function checkBackup({ db, clock }: Pick<Context, 'db' | 'clock'>): Check {
  return {
    name: 'backup',
    title: 'Backup',
    look: async () => {
      const now = clock.now();
      const last = await findLastBackup(db);
      if (last !== undefined) {
        const found = `The last backup was made ${toIso(last).slice(0, 16).replace('T', ' ')} UTC.`;
        return now - last > OLD_DAYS * DAY_MS
          ? { state: 'warning', found, fix: FIX }
          : { state: 'ok', found };
      }
      const { since } = await db
        .selectFrom('users')
        .select(({ fn }) => fn.min('createdAt').as('since'))
        .executeTakeFirstOrThrow();
      const isNew = since === null || now - Number(since) <= OLD_DAYS * DAY_MS;
      const found = 'No backup yet.';
      return isNew ? { state: 'ok', found } : { state: 'warning', found, fix: FIX };
    },
    fixOf: () => 'Check the database.',
  };
}
