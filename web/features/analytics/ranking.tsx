import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../../../contracts/values/format.ts';
import { Button } from '../../components/actions/button.tsx';
import { classNames } from '../../lib/class-names.ts';

type RankingRow = {
  key: string;
  label: ReactNode;
  /** One per column. `measure` sets the length of the bar behind the label. */
  counts: number[];
  measure: number;
};

type RankingProps = {
  /** The name of the rows ("Country"), then the counts. */
  columns: [name: string, ...counted: string[]];
  rows: RankingRow[];
  activeKey?: string | null;
};

const FIRST_ROWS = 8;
const MORE_ROWS = 50;

export function Ranking({ columns: [name, ...counted], rows, activeKey }: RankingProps) {
  const [shownCount, setShownCount] = useState(FIRST_ROWS);
  const highest = Math.max(1, ...rows.map(({ measure }) => measure));
  const hiddenCount = rows.length - shownCount;
  return (
    <div className="min-w-0">
      <table className="w-full table-fixed text-sm">
        <thead>
          <tr className="border-b border-line text-ink-faint">
            <th scope="col" className="pb-2 text-left font-normal">
              {name}
            </th>
            {counted.map((column) => (
              <th key={column} scope="col" className="w-18 pb-2 text-right font-normal last:w-22">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownCount).map((row) => (
            <Row key={row.key} row={row} highest={highest} isActive={row.key === activeKey} />
          ))}
        </tbody>
      </table>
      {hiddenCount > 0 && (
        <Button
          variant="ghost"
          size="sm"
          className="mt-2 -ml-3.5"
          onClick={() => setShownCount(shownCount + MORE_ROWS)}
        >
          <Trans>Show {Math.min(hiddenCount, MORE_ROWS)} more</Trans>
        </Button>
      )}
    </div>
  );
}

function Row({ row, highest, isActive }: { row: RankingRow; highest: number; isActive: boolean }) {
  const { label, counts, measure } = row;
  return (
    <tr className={classNames('h-9', isActive && 'bg-hover')}>
      <th scope="row" className="relative py-0.5 pr-2 text-left font-normal">
        {measure > 0 && (
          <span
            aria-hidden="true"
            className="absolute inset-y-0.5 left-0 min-w-px rounded-xs bg-accent-wash"
            style={{ width: `${(measure / highest) * 100}%` }}
          />
        )}
        <span className="relative flex min-h-8 items-center px-2">{label}</span>
      </th>
      {counts.map((count, index) => (
        // The columns never change order.
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <td key={index} className="tabular text-right">
          {formatCount(count)}
        </td>
      ))}
    </tr>
  );
}
