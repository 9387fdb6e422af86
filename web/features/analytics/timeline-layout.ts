import { listTicks } from '../../lib/chart-ticks.ts';
import type { Bucket, Step } from './timeline.ts';
import { formatShortCount, nameOfDay, nameOfMonth } from './wording.ts';

/** Where everything on the chart lies, in CSS pixels. */
export type TimelineLayout = {
  width: number;
  height: number;
  /** Where the bars begin, right of the counts. */
  left: number;
  /** The ground line. */
  bottom: number;
  /** The width that one bucket has. */
  slot: number;
  ticks: { y: number; label: string }[];
  labels: { x: number; text: string }[];
  bars: { center: number; viewsHeight: number; downloadsHeight: number }[];
};

const TOP_PX = 10;
const BELOW_PX = 28;
const DIGIT_PX = 8;
const LABEL_PX = 78;
/** Beyond, a day without its year may be either. */
const YEAR_MS = 366 * 86_400_000;
/** One of a million is not none. */
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

/** As many as fit, counted back from the last, each below its bar but never beyond the edge. */
function listLabels(
  buckets: Bucket[],
  step: Step,
  { left, slot, width }: Pick<TimelineLayout, 'left' | 'slot' | 'width'>,
): TimelineLayout['labels'] {
  const every = Math.max(1, Math.ceil(LABEL_PX / slot));
  const half = LABEL_PX / 2 - 14;
  const isLong = Date.parse(buckets.at(-1)!.to) - Date.parse(buckets[0]!.from) > YEAR_MS;
  const nameOf = step === 'month' || isLong ? nameOfMonth : nameOfDay;
  return buckets.flatMap((bucket, index) => {
    if ((buckets.length - 1 - index) % every !== 0) return [];
    const center = left + (index + 0.5) * slot;
    const x = Math.min(width - half, Math.max(half, center));
    return { x, text: nameOf(bucket.from) };
  });
}

/** The bucket at a place on the chart, the nearest at its edges. */
export function indexAt(x: number, { left, slot, bars }: TimelineLayout): number {
  return Math.min(bars.length - 1, Math.max(0, Math.floor((x - left) / slot)));
}
