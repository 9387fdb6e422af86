import type { AdminTrends } from '../../../contracts/admin/stats.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { formatCount, formatTrendDay } from './wording.ts';

const COLUMNS = ['New users', 'New transfers', 'Uploaded', 'Downloads'];

/** The newest first: whoever reads it asks about yesterday. */
export function TrendTable({ trends }: { trends: AdminTrends }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="The last 30 days"
      className="mt-2 max-h-80 overflow-auto"
    >
      <table className="tabular w-full">
        <thead className="sticky top-0 bg-canvas text-ink-faint">
          <tr>
            <th scope="col" className="py-2 text-left font-normal">
              Day
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
                {formatTrendDay(date)}
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
