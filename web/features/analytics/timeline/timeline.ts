import type { Analytics } from '../../../../contracts/analytics.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { formatShortCount } from '../../../../contracts/values/format.ts';
import { formatUtcDay, formatUtcMonth } from '../../../lib/time/format-dates.ts';
import { listTicks } from '../../../lib/values/chart-ticks.ts';

type Day = Analytics['days'][number];

/** The counts of one or several days; both days included, as `YYYY-MM-DD`. */
export type Bucket = { from: string; to: string; views: number; downloads: number };
export type Step = 'day' | 'week' | 'month';

const DAYS_PER_STEP: Record<Step, number> = { day: 1, week: 7, month: 30.4 };
/** Narrower bars would merge into one. */
const NARROWEST_SLOT_PX = 8;

/** The finest step whose bars stay distinguishable at this chart width. */
export function chooseStep(dayCount: number, widthPx: number): Step {
  const fits = (step: Step) => widthPx / Math.ceil(dayCount / DAYS_PER_STEP[step]) >= NARROWEST_SLOT_PX;
  return (['day', 'week'] as const).find(fits) ?? 'month';
}

/** Sums days by step: weeks begin on Monday, months on the 1st. The range may cut the first and last. */
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

/** The chart's geometry in CSS pixels. */
export type TimelineLayout = {
  width: number;
  height: number;
  /** The bars' left edge, right of the axis labels. */
  left: number;
  bottom: number;
  slot: number;
  ticks: { y: number; label: string }[];
  labels: { x: number; text: string }[];
  bars: { center: number; viewsHeight: number; downloadsHeight: number }[];
};

const TOP_PX = 10;
const BELOW_PX = 28;
const DIGIT_PX = 8;
const LABEL_PX = 78;
/** In longer ranges a day without its year is ambiguous. */
const YEAR_MS = 366 * DAY_MS;
/** Nonzero counts stay visible. */
const LOWEST_BAR_PX = 2;

export function layOutTimeline(
  buckets: Bucket[],
  step: Step,
  { width, height }: { width: number; height: number },
): TimelineLayout {
  const values = listTicks(Math.max(0, ...buckets.flatMap(({ views, downloads }) => [views, downloads])));
  const names = values.map(formatShortCount);
  const left = Math.max(...names.map(({ length }) => length)) * DIGIT_PX + 10;
  const bottom = height - BELOW_PX;
  const slot = (width - left) / buckets.length;
  const lengthOf = (count: number) => (count / values.at(-1)!) * (bottom - TOP_PX);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LOWEST_BAR_PX, lengthOf(count)));
  return {
    width,
    height,
    left,
    bottom,
    slot,
    ticks: values.map((value, index) => ({ y: bottom - lengthOf(value), label: names[index]! })),
    labels: listLabels(buckets, step, { left, slot, width }),
    bars: buckets.map(({ views, downloads }, index) => ({
      center: left + (index + 0.5) * slot,
      viewsHeight: heightOf(views),
      downloadsHeight: heightOf(downloads),
    })),
  };
}

/** As many labels as fit, counted back from the last, kept inside the chart. */
function listLabels(
  buckets: Bucket[],
  step: Step,
  { left, slot, width }: Pick<TimelineLayout, 'left' | 'slot' | 'width'>,
): TimelineLayout['labels'] {
  const every = Math.max(1, Math.ceil(LABEL_PX / slot));
  const half = LABEL_PX / 2 - 14;
  const isLong = Date.parse(buckets.at(-1)!.to) - Date.parse(buckets[0]!.from) > YEAR_MS;
  const nameOf = step === 'month' || isLong ? formatUtcMonth : formatUtcDay;
  return buckets.flatMap((bucket, index) => {
    if ((buckets.length - 1 - index) % every !== 0) return [];
    const center = left + (index + 0.5) * slot;
    const x = Math.min(width - half, Math.max(half, center));
    return { x, text: nameOf(bucket.from) };
  });
}

/** The index of the bucket at `x`, clamped to the chart. */
export function indexAt(x: number, { left, slot, bars }: TimelineLayout): number {
  return Math.min(bars.length - 1, Math.max(0, Math.floor((x - left) / slot)));
}
