import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMediaQuery } from '../../lib/browser/use-media-query.ts';
import { classNames } from '../../lib/class-names.ts';
import { TickBox } from '../form/tick-box.tsx';
import { Surface } from '../layout/surface.tsx';

export type Column<Row> = {
  label: string;
  render: (row: Row) => ReactNode;
  /** Right-aligned. */
  isNumber?: boolean;
  /** For long text: gets the remaining width, and a full line on cards. */
  isWide?: boolean;
};

export type RowChoice<Row> = {
  isChosen: (row: Row) => boolean;
  onChoose: (rows: Row[], isChosen: boolean) => void;
  /** Names a row's checkbox. */
  nameOf: (row: Row) => string;
};

type DataTableProps<Row> = {
  label: string;
  rows: Row[];
  keyOf: (row: Row) => string;
  /** The first column, and the heading of a card. */
  heading: Column<Row>;
  columns: Column<Row>[];
  actions?: (row: Row) => ReactNode;
  choice?: RowChoice<Row>;
};

/** Below this, columns would be too narrow beside the sidebar. */
const ROOMY = '(min-width: 68.75rem)';

/** A table if there is room for one; otherwise one card per row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isRoomy = useMediaQuery(ROOMY);
  return isRoomy ? <Table {...props} /> : <Cards {...props} />;
}

function Table<Row>({ label, rows, keyOf, heading, columns, actions, choice }: DataTableProps<Row>) {
  return (
    <table aria-label={label} className="w-full text-sm">
      <thead className="text-ink-faint">
        <tr className="border-b border-line-firm">
          {choice && (
            <td className="w-10 pb-2.5 pl-2">
              <AllTick rows={rows} choice={choice} />
            </td>
          )}
          {[heading, ...columns].map(({ label: name, isNumber }) => (
            <th
              key={name}
              scope="col"
              className={classNames(
                'pr-5 pb-2.5 font-normal whitespace-nowrap last:pr-0',
                isNumber ? 'text-right' : 'text-left',
              )}
            >
              {name}
            </th>
          ))}
          {actions && (
            <th scope="col" className="pb-2.5">
              <span className="sr-only">
                <Trans>Actions</Trans>
              </span>
            </th>
          )}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className={classNames(
              'transition-colors duration-(--quick)',
              choice?.isChosen(row) ? 'bg-hover shadow-[inset_3px_0_0_var(--accent-ink)]' : 'hover:bg-hover',
            )}
          >
            {choice && (
              <td className="py-3 pl-2">
                <RowTick row={row} choice={choice} />
              </td>
            )}
            <th scope="row" className="py-3 pr-5 text-left font-normal">
              {heading.render(row)}
            </th>
            {columns.map(({ label: name, render, isNumber, isWide }) => (
              <td
                key={name}
                className={classNames(
                  'py-3 pr-5 last:pr-0',
                  isNumber && 'tabular text-right',
                  !isWide && 'whitespace-nowrap',
                )}
              >
                {render(row)}
              </td>
            ))}
            {actions && (
              <td className="py-3 pr-1">
                <div className="flex items-center justify-end gap-1">{actions(row)}</div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards<Row>({ label, rows, keyOf, heading, columns, actions, choice }: DataTableProps<Row>) {
  return (
    <>
      {choice && (
        <div className="mb-3 flex items-center gap-3 pl-4 text-sm text-ink-soft">
          <AllTick rows={rows} choice={choice} />
          <span aria-hidden="true">
            <Trans>All on this page</Trans>
          </span>
        </div>
      )}
      <ul aria-label={label} className="grid gap-3 md:grid-cols-2">
        {rows.map((row) => (
          <Surface
            key={keyOf(row)}
            as="li"
            padding="none"
            className={classNames('flex flex-col p-4', choice?.isChosen(row) && 'border-accent-ink')}
          >
            <div className="flex items-start gap-3">
              {choice && <RowTick row={row} choice={choice} />}
              <div className="min-w-0 grow">{heading.render(row)}</div>
            </div>
            <dl className="mt-4 grid grow grid-cols-2 content-start gap-x-4 gap-y-3 text-sm">
              {columns.map(({ label: name, render, isNumber, isWide }) => (
                <div key={name} className={classNames('min-w-0', isWide && 'col-span-2')}>
                  <dt className="mb-1 text-xs text-ink-faint">{name}</dt>
                  <dd className={classNames('wrap-anywhere', isNumber && 'tabular')}>{render(row)}</dd>
                </div>
              ))}
            </dl>
            <CardActions>{actions?.(row)}</CardActions>
          </Surface>
        ))}
      </ul>
    </>
  );
}

function CardActions({ children }: { children: ReactNode }) {
  if (!children) return null;
  return <div className="mt-4 flex flex-wrap items-center gap-2 border-t border-line pt-3">{children}</div>;
}

function AllTick<Row>({ rows, choice }: { rows: Row[]; choice: RowChoice<Row> }) {
  const chosenCount = rows.filter(choice.isChosen).length;
  return (
    <TickBox
      aria-label={t`Select all on this page`}
      checked={rows.length > 0 && chosenCount === rows.length}
      isMixed={chosenCount > 0 && chosenCount < rows.length}
      onChange={({ target }) => choice.onChoose(rows, target.checked)}
    />
  );
}

function RowTick<Row>({ row, choice }: { row: Row; choice: RowChoice<Row> }) {
  return (
    <TickBox
      aria-label={t`Select ${choice.nameOf(row)}`}
      checked={choice.isChosen(row)}
      onChange={({ target }) => choice.onChoose([row], target.checked)}
    />
  );
}
