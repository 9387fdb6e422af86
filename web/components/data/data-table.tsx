import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { useMediaQuery } from '../../lib/hooks/use-media-query.ts';
import { Button } from '../actions/button.tsx';
import { IconButton } from '../actions/icon-button.tsx';
import { TickBox } from '../form/tick-box.tsx';
import { Surface } from '../layout/surface.tsx';

export type Column<Row> = {
  label: string;
  render: (row: Row) => ReactNode;
  /** Right-aligned. */
  isNumber?: boolean;
  /** For text of any length: shares the remaining width with the heading, and gets a full line on cards. */
  isWide?: boolean;
};

export type RowChoice<Row> = {
  isChosen: (row: Row) => boolean;
  onChoose: (rows: Row[], isChosen: boolean) => void;
  /** Names a row's checkbox. */
  nameOf: (row: Row) => string;
};

/** Opened below a row by a button. */
export type RowDetails<Row> = {
  render: (row: Row) => ReactNode;
  /** Names the button. */
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
  details?: RowDetails<Row>;
};

/** Below this, columns would be too narrow beside the sidebar. The style sheets call it `roomy`. */
const ROOMY = '(min-width: 68.75rem)';

/** A table if there is room for one; otherwise one card per row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isRoomy = useMediaQuery(ROOMY);
  return isRoomy ? <Table {...props} /> : <Cards {...props} />;
}

/** A row with controls is 40 px high, so ten rows fit below the heading and the filters of a page. */
const CELL = 'h-10 py-1';
const CONTROL_CELL = 'h-10 py-0.5';

/** The heading and the wide columns share the width that the other columns leave. */
const SHARES = ['w-full', 'w-1/2', 'w-1/3'];

function Table<Row>(props: DataTableProps<Row>) {
  const { label, rows, keyOf, heading, columns, actions, choice, details } = props;
  return (
    <table aria-label={label} className="w-full text-sm">
      <thead className="text-ink-faint">
        <tr className="border-b border-line-firm">
          {details && (
            <th scope="col" className="w-10">
              <span className="sr-only">
                <Trans>Details</Trans>
              </span>
            </th>
          )}
          {choice && (
            <td className="w-10 pr-3 pb-2 pl-2">
              <AllTick rows={rows} choice={choice} />
            </td>
          )}
          {[heading, ...columns].map(({ label: name, isNumber }) => (
            <th
              key={name}
              scope="col"
              className={classNames(
                'pr-5 pb-2 font-normal whitespace-nowrap last:pr-0',
                isNumber ? 'text-right' : 'text-left',
              )}
            >
              {name}
            </th>
          ))}
          {actions && (
            <th scope="col" className="pb-2">
              <span className="sr-only">
                <Trans>Actions</Trans>
              </span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <TableRow key={keyOf(row)} row={row} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function TableRow<Row>(props: DataTableProps<Row> & { row: Row }) {
  const { row, heading, columns, actions, choice, details } = props;
  const { isOpen, button, panelId } = useDisclosure();
  const wide = classNames(CELL, 'max-w-0 pr-5', SHARES[columns.filter(({ isWide }) => isWide).length]);
  const cellCount = 1 + columns.length + [details, choice, actions].filter(Boolean).length;
  return (
    <>
      <tr
        className={classNames(
          'border-line transition-colors duration-(--quick) not-first:border-t',
          choice?.isChosen(row) ? 'bg-hover shadow-[inset_3px_0_0_var(--accent-ink)]' : 'hover:bg-hover',
        )}
      >
        {details && (
          <td className={CONTROL_CELL}>
            <IconButton
              label={t`Details of ${details.nameOf(row)}`}
              icon={<ChevronRight className={turned(isOpen)} />}
              size="sm"
              tooltip="none"
              {...button}
            />
          </td>
        )}
        {choice && (
          <td className={classNames(CONTROL_CELL, 'pr-3 pl-2')}>
            <RowTick row={row} choice={choice} />
          </td>
        )}
        <th scope="row" className={classNames(wide, 'text-left font-normal')}>
          {heading.render(row)}
        </th>
        {columns.map(({ label: name, render, isNumber, isWide }) => (
          <td
            key={name}
            className={classNames(
              isWide ? wide : classNames(CELL, 'pr-5 whitespace-nowrap last:pr-0'),
              isNumber && 'tabular text-right',
            )}
          >
            {render(row)}
          </td>
        ))}
        {actions && (
          <td className={classNames(CONTROL_CELL, 'pr-1')}>
            <div className="flex items-center justify-end gap-1">{actions(row)}</div>
          </td>
        )}
      </tr>
      {details && isOpen && (
        <tr id={panelId}>
          <td />
          <td colSpan={cellCount - 1} className="pt-1 pr-5 pb-4">
            {details.render(row)}
          </td>
        </tr>
      )}
    </>
  );
}

function useDisclosure() {
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const button = {
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? panelId : undefined,
    onClick: () => setOpen(!isOpen),
  };
  return { isOpen, button, panelId };
}

function turned(isOpen: boolean): string {
  return classNames('transition-[rotate] duration-(--quick)', isOpen && 'rotate-90');
}

function Cards<Row>(props: DataTableProps<Row>) {
  const { label, rows, keyOf, choice } = props;
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
          <Card key={keyOf(row)} row={row} {...props} />
        ))}
      </ul>
    </>
  );
}

function Card<Row>(props: DataTableProps<Row> & { row: Row }) {
  const { row, heading, columns, actions, choice, details } = props;
  const { isOpen, button, panelId } = useDisclosure();
  return (
    <Surface
      as="li"
      padding="none"
      className={classNames('flex flex-col p-4', choice?.isChosen(row) && 'border-accent-ink')}
    >
      <div className="flex items-start gap-3">
        {choice && <RowTick row={row} choice={choice} />}
        <div className="min-w-0 grow">{heading.render(row)}</div>
      </div>
      <dl className="mt-3 grid grow grid-cols-2 content-start gap-x-4 gap-y-2.5 text-sm">
        {columns.map(({ label: name, render, isNumber, isWide }) => (
          <div key={name} className={classNames('min-w-0', isWide && 'col-span-2')}>
            <dt className="mb-0.5 text-xs text-ink-faint">{name}</dt>
            <dd className={classNames('wrap-anywhere', isNumber && 'tabular')}>{render(row)}</dd>
          </div>
        ))}
      </dl>
      {details && (
        <>
          <Button
            variant="ghost"
            size="sm"
            icon={<ChevronRight aria-hidden="true" className={turned(isOpen)} />}
            aria-label={t`Details of ${details.nameOf(row)}`}
            className="mt-2 -ml-2 self-start"
            {...button}
          >
            <Trans>Details</Trans>
          </Button>
          {isOpen && (
            <div id={panelId} className="mt-1 text-sm">
              {details.render(row)}
            </div>
          )}
        </>
      )}
      <CardActions>{actions?.(row)}</CardActions>
    </Surface>
  );
}

function CardActions({ children }: { children: ReactNode }) {
  if (!children) return null;
  return <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3">{children}</div>;
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
