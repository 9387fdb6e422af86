import type { AdminTrends } from '../../../contracts/admin/stats.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { BarChart } from '../../components/bar-chart.tsx';
import { TrendTable } from './trend-table.tsx';
import { layOutTrend, type TrendMetric } from './trends.ts';
import { formatCount } from './wording.ts';

const CHARTS: { metric: TrendMetric; title: string }[] = [
  { metric: 'newUsers', title: 'New users' },
  { metric: 'newTransfers', title: 'New transfers' },
  { metric: 'uploadedBytes', title: 'Uploaded' },
  { metric: 'downloads', title: 'Downloads' },
];

/** Four series over the same days, and all of them as a table. */
export function TrendCharts({ trends }: { trends: AdminTrends }) {
  return (
    <>
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
        {CHARTS.map(({ metric, title }) => {
          const total = trends.reduce((sum, day) => sum + day[metric], 0);
          return (
            <figure key={metric} className="min-w-0">
              <figcaption className="mb-3 flex items-baseline justify-between gap-4">
                <span className="font-medium">{title}</span>
                <span className="tabular text-sm text-ink-soft">
                  {metric === 'uploadedBytes' ? formatSize(total) : formatCount(total)} in 30 days
                </span>
              </figcaption>
              <BarChart label={`${title} by day`} {...layOutTrend(trends, metric)} />
            </figure>
          );
        })}
      </div>
      <details className="mt-6 text-sm">
        <summary className="inline-block rounded-full py-1">
          <span className="link">The same as a table</span>
        </summary>
        <TrendTable trends={trends} />
      </details>
    </>
  );
}
