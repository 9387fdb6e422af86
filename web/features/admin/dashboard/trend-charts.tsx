import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AdminTrends } from '../../../../contracts/admin/stats.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { BarChart } from '../../../components/data/bar-chart.tsx';
import { formatUtcDate } from '../../../lib/time/format-dates.ts';
import { layOutTrend, type TrendMetric } from './trends.ts';

const CHARTS: { metric: TrendMetric; title: string }[] = [
  { metric: 'newUsers', title: t`New users` },
  { metric: 'newTransfers', title: t`New transfers` },
  { metric: 'uploadedBytes', title: t`Uploaded` },
  { metric: 'downloads', title: t`Downloads` },
];

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
                  <Trans>
                    {metric === 'uploadedBytes' ? formatSize(total) : formatCount(total)} in 30 days
                  </Trans>
                </span>
              </figcaption>
              <BarChart label={t`${title} by day`} {...layOutTrend(trends, metric)} />
            </figure>
          );
        })}
      </div>
      <details className="mt-6 text-sm">
        <summary className="inline-block rounded-full py-1">
          <span className="link">
            <Trans>Show as a table</Trans>
          </span>
        </summary>
        <TrendTable trends={trends} />
      </details>
    </>
  );
}

const COLUMNS = [t`New users`, t`New transfers`, t`Uploaded`, t`Downloads`];

/** Newest first. */
function TrendTable({ trends }: { trends: AdminTrends }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t`The last 30 days`}
      className="mt-2 max-h-80 overflow-auto"
    >
      <table className="tabular w-full">
        <thead className="sticky top-0 bg-canvas text-ink-faint">
          <tr>
            <th scope="col" className="py-2 text-left font-normal">
              <Trans>Day</Trans>
            </th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className="py-2 pl-3 text-right font-normal last:pr-3">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {trends.toReversed().map(({ date, newUsers, newTransfers, uploadedBytes, downloads }) => (
            <tr key={date}>
              <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                {formatUtcDate(date)}
              </th>
              <td className="text-right">{formatCount(newUsers)}</td>
              <td className="text-right">{formatCount(newTransfers)}</td>
              <td className="pl-3 text-right whitespace-nowrap">{formatSize(uploadedBytes)}</td>
              <td className="pr-3 text-right">{formatCount(downloads)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
