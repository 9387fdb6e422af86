import {
  ANALYTICS_DAYS,
  ANALYTICS_DEFAULT_DAYS,
  type Analytics,
  type OverallAnalytics,
  type TransferAnalytics,
} from '../../../contracts/analytics.ts';
import type { TierName } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import { snapshot } from '../../platform/db/transaction.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { DAY_MS, dayOf } from '../../platform/lib/clock.ts';
import { requireFeature } from '../tiers/index.ts';
import { type History, readHistory } from './history.ts';
import { presentAnalytics, presentFiles, presentTransfers, type Range } from './presenter.ts';
import { findOwnTransfer, listFilesOf, listMostDownloaded, listNamedTransfers } from './report-queries.ts';
import { ALL_FILES } from './tally.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'geo'>;
type Wish = { user: { id: string; tier: TierName }; days: number | undefined };

/** What is told, and the history it is told from. */
export type Report<Told extends Analytics> = { told: Told; history: History };

/** The numbers of one transfer. Throws AppError `tier_required`, `transfer_not_found`. */
export function reportOnTransfer(
  deps: Deps,
  { transferId, ...wish }: Wish & { transferId: string },
): Promise<Report<TransferAnalytics>> {
  const range = findRange(deps, wish);
  return snapshot(deps.db, async (trx) => {
    const transfer = await findOwnTransfer(trx, { transferId, userId: wish.user.id });
    if (!transfer) throw new AppError('transfer_not_found');
    const history = await readHistory(trx, deps.geo, { subject: { transferId }, days: range });
    const { zipCount } = transfer;
    const listed = await listFilesOf(trx, transferId, findMostDownloaded(history));
    const files = presentFiles(listed, { history, zipCount });
    return { told: { ...presentAnalytics(history, range), files }, history };
  });
}

/** Below what one statement may name. */
const FILES_NAMED = 1_000;

/** The files that were downloaded most, alone or in selections. */
function findMostDownloaded({ files }: History): { ids: string[]; positions: number[] } {
  const most = [...files]
    .filter(([value]) => value !== ALL_FILES)
    .toSorted(([, one], [, other]) => other.downloads - one.downloads)
    .slice(0, FILES_NAMED)
    .map(([value]) => value);
  const isSelected = (value: string) => value.startsWith('#');
  return {
    ids: most.filter((value) => !isSelected(value)),
    positions: most.filter(isSelected).map((value) => Number(value.slice(1))),
  };
}

/** The numbers of all of a user's transfers, the deleted ones among them. Throws AppError `tier_required`. */
export function reportOnAll(deps: Deps, wish: Wish): Promise<Report<OverallAnalytics>> {
  const range = findRange(deps, wish);
  const userId = wish.user.id;
  return snapshot(deps.db, async (trx) => {
    const history = await readHistory(trx, deps.geo, { subject: { userId }, days: range });
    const recent = history.recentTransfers;
    const most = await listMostDownloaded(trx, userId, range);
    const ids = [...recent.keys()].filter((id) => !most.some((each) => each.id === id));
    const others = await listNamedTransfers(trx, { userId, ids, days: range });
    const ready = [...most, ...others].filter(({ status }) => status === 'ready');
    const transfers = presentTransfers(ready, recent);
    return { told: { ...presentAnalytics(history, range), transfers }, history };
  });
}

/** The plan of now decides how far back is told, and whether anything is. */
function findRange({ clock }: Deps, { user: { tier }, days = ANALYTICS_DEFAULT_DAYS }: Wish): Range {
  requireFeature(tier, 'analytics');
  const longestDays = ANALYTICS_DAYS[tier === 'premium' ? 'premium' : 'pro'];
  const now = clock.now();
  const from = dayOf(now - (Math.min(days, longestDays) - 1) * DAY_MS);
  return { from, to: dayOf(now), longestDays };
}
