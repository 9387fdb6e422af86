import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import type { Page } from './queries.ts';

const PAGE_SIZE = 200;

type Walk = {
  list(page: Page): Promise<string[]>;
  /** Marks what it tells, and schedules the mail, in this one transaction: each is told once, or not at all. */
  tell(trx: Trx, transferId: string): Promise<void>;
};

/** Goes through the listed transfers, one transaction each; one that fails is logged and looked at next time. */
export async function tellOfEach(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { signal }: Pick<JobRun, 'signal'>,
  { list, tell }: Walk,
): Promise<void> {
  for (let after = '', isLast = false; !isLast; ) {
    const ids = await list({ after, limit: PAGE_SIZE });
    for (const id of ids) {
      if (signal.aborted) return;
      await transaction(db, (trx) => tell(trx, id)).catch((error: unknown) =>
        log.warn({ err: error, transferId: id }, 'A notice was not sent.'),
      );
    }
    isLast = ids.length < PAGE_SIZE;
    after = ids.at(-1) ?? '';
  }
}
