import type { AdminTrends } from '../../../../contracts/admin/stats.ts';
import { formatCount, formatShortCount } from '../../../../contracts/values/format.ts';
import { formatSize, GIB, KIB, MIB } from '../../../../contracts/values/sizes.ts';
import type { ChartBar } from '../../../components/data/bar-chart.tsx';
import { formatUtcDate, formatUtcDay } from '../../../lib/time/format-dates.ts';
import { listTicks } from '../../../lib/values/chart-ticks.ts';

export type TrendMetric = Exclude<keyof AdminTrends[number], 'date'>;

const TICKS = 3;

export function layOutTrend(
  trends: AdminTrends,
  metric: TrendMetric,
): { bars: ChartBar[]; ticks: { value: number; label: string }[] } {
  const isSize = metric === 'uploadedBytes';
  const highest = Math.max(0, ...trends.map((day) => day[metric]));
  const unit = isSize ? unitOf(highest) : 1;
  return {
    bars: trends.map((day) => ({
      name: formatUtcDate(day.date),
      shortName: formatUtcDay(day.date),
      value: day[metric],
      text: isSize ? formatSize(day[metric]) : formatCount(day[metric]),
    })),
    ticks: listTicks(highest / unit, TICKS).map((each) => ({
      value: each * unit,
      label: isSize ? formatSize(each * unit) : formatShortCount(each),
    })),
  };
}

/** The unit whose round numbers become ticks: 20 MB, not 19.1 MB. */
function unitOf(bytes: number): number {
  return [GIB, MIB, KIB].find((unit) => bytes >= unit) ?? 1;
}
