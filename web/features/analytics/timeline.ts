import type { Analytics } from '../../../contracts/analytics.ts';

type Day = Analytics['days'][number];

/** The counts of one or several days; both days included, as `YYYY-MM-DD`. */
export type Bucket = { from: string; to: string; views: number; downloads: number };
export type Step = 'day' | 'week' | 'month';

const DAYS_PER_STEP: Record<Step, number> = { day: 1, week: 7, month: 30.4 };
/** Narrower, and two bars beside one another would be one. */
const NARROWEST_SLOT_PX = 8;
const DAY_MS = 86_400_000;

/** The finest step whose bars can be told apart on a chart of this width. */
export function chooseStep(dayCount: number, widthPx: number): Step {
  const fits = (step: Step) => widthPx / Math.ceil(dayCount / DAYS_PER_STEP[step]) >= NARROWEST_SLOT_PX;
  return (['day', 'week'] as const).find(fits) ?? 'month';
}

/** The days summed by step: weeks begin on Monday, months on the 1st; the first and last may be cut by the range. */
export function bucketDays(days: Day[], step: Step): Bucket[] {
  const groups = Map.groupBy(days, ({ date }) => startOf(date, step));
  return [...groups.values()].map((group) => ({
    from: group[0]!.date,
    to: group.at(-1)!.date,
    views: group.reduce((sum, { views }) => sum + views, 0),
    downloads: group.reduce((sum, { downloads }) => sum + downloads, 0),
  }));
}

function startOf(date: string, step: Step): string {
  if (step === 'day') return date;
  if (step === 'month') return date.slice(0, 7);
  const instant = Date.parse(date);
  const daysSinceMonday = (new Date(instant).getUTCDay() + 6) % 7;
  return new Date(instant - daysSinceMonday * DAY_MS).toISOString().slice(0, 10);
}
