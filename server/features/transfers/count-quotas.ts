import { COUNT_QUOTAS, type CountQuotas, TIERS, tierLabel } from '../../../contracts/tiers.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import { addCounts, findCounts, lockCounts, recount } from './count-queries.ts';

/** Recounting reads up to some hundred thousand index entries, so a caller who is at a limit cannot repeat it at will. */
const RECOUNT_AFTER_MS = 5 * SECOND_MS;

type Claim = {
  owner: Pick<UserRow, 'id' | 'tier'>;
  /** How many are announced. */
  files: number;
  /** How many drafts this transaction has created for them: 0 or 1. */
  drafts: number;
};

/**
 * Counts announced files against the quotas of the owner's plan, in one conditional statement: parallel callers never
 * pass a quota. The counters only rise, so a caller who reaches a quota is recounted first.
 * Throws AppError `count_quota_exceeded`.
 */
export async function claimCounts(
  trx: Trx,
  { clock }: Pick<Context, 'clock'>,
  { owner, files, drafts }: Claim,
): Promise<void> {
  const quotas = COUNT_QUOTAS[owner.tier];
  const more: CountQuotas = { openUploads: files, files, drafts, transfers: drafts };
  const addition = { userId: owner.id, more, quotas };
  if (await addCounts(trx, addition)) return;
  const now = clock.now();
  const { countedAt } = await lockCounts(trx, owner.id);
  // A later instant was written under a clock that was wrong.
  const isDue = countedAt + RECOUNT_AFTER_MS <= now || countedAt > now;
  if (isDue) {
    await recount(trx, { userId: owner.id, uncountedDrafts: drafts, now });
    if (await addCounts(trx, addition)) return;
  }
  throw await explainRefusal(trx, owner, more);
}

const THINGS: Record<keyof CountQuotas, { things: string; advice: string }> = {
  openUploads: { things: 'unfinished uploads', advice: 'Finish or discard some of them' },
  drafts: { things: 'transfers with unfinished uploads', advice: 'Finish or discard some of them' },
  transfers: { things: 'transfers', advice: 'Delete some of them' },
  files: { things: 'files', advice: 'Delete some of your transfers' },
};

async function explainRefusal(trx: Trx, { id, tier }: Claim['owner'], more: CountQuotas): Promise<AppError> {
  const quotas = COUNT_QUOTAS[tier];
  const counts = await findCounts(trx, id);
  const names = Object.keys(THINGS) as (keyof CountQuotas)[];
  const passed = names.find((name) => more[name] > 0 && counts[name] + more[name] > quotas[name]);
  const name = passed ?? 'files';
  const { things, advice } = THINGS[name];
  const isHighest = tier === TIERS.at(-1);
  return new AppError('count_quota_exceeded', {
    details: {
      tier: tierLabel(tier),
      limit: quotas[name].toLocaleString('en'),
      things,
      advice: `${advice}${isHighest ? '.' : ', or upgrade your plan.'}`,
    },
  });
}
