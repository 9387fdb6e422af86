import type { Context } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';
import { writePast } from './settling.ts';
import { listPast } from './sweep-queries.ts';

const PAGE_SIZE = 100;

/**
 * Ends what was begun at another provider than the present one, when what is paid for is over: it cannot be asked
 * any more, and nobody is on a plan for ever that nobody pays. An attempt there ends within a day.
 */
export async function endPastElsewhere(
  { db, clock, config, payments, security, log }: Context,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const past = { provider: payments.name, now, begunBy: now - DAY_MS };
  for (let after = '', isLast = false; !isLast; ) {
    const rows = await listPast(db, past, { after, limit: PAGE_SIZE });
    for (const row of rows) {
      if (signal.aborted) return;
      await transaction(db, (trx) => writePast({ clock, config, security, db: trx }, row, past)).catch(
        (error: unknown) =>
          log.warn({ err: error, subscriptionId: row.id }, 'A subscription is ended later.'),
      );
    }
    isLast = rows.length < PAGE_SIZE;
    after = rows.at(-1)?.id ?? '';
  }
}
