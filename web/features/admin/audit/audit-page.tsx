import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ScrollText } from 'lucide-react';
import { useRef } from 'react';
import { type AuditEntry, listAudit } from '../../../../contracts/admin/audit.ts';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminPage } from '../admin-page.tsx';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { useView } from '../lists/use-view.ts';
import { ACTION_GROUPS, describeAction, describeDetails } from './audit-words.ts';

const OPTIONS = [{ value: '', label: t`All actions` }, ...ACTION_GROUPS];

export function AdminAuditPage() {
  const { view, change, clear } = useView(['search', 'action'] as const);
  const field = useRef<HTMLInputElement>(null);
  const { search, action } = view;
  const list = usePages(listAudit, { ...(search && { search }), ...(action && { action }) });
  return (
    <AdminPage
      title={t`Audit Log`}
      description={t`What administrators have done. Entries cannot be changed.`}
    >
      <search className="mb-4 flex flex-wrap gap-3">
        <div className="flex min-w-[min(100%,16rem)] grow">
          <SearchField
            label={t`Search the audit log`}
            placeholder={t`Administrator or subject`}
            maxLength={TITLE_MAX}
            search={search}
            onSearch={(text) => change({ search: text })}
            isSearching={list.isSearching}
            field={field}
          />
        </div>
        <FilterSelect
          label={t`Action`}
          options={OPTIONS}
          value={OPTIONS.some(({ value }) => value === action) ? action : ''}
          onChange={(next) => change({ action: next })}
        />
      </search>
      <ListBody
        list={list}
        onClear={search || action ? clear : undefined}
        nothing={
          <EmptyState
            icon={<ScrollText />}
            title={t`No entries yet`}
            description={t`Changes that administrators make are recorded here.`}
          />
        }
      >
        {(entries) => (
          <DataTable
            label={t`Audit log`}
            rows={entries}
            keyOf={({ id }) => id}
            heading={{ label: t`Action`, render: (entry) => <Action entry={entry} /> }}
            columns={COLUMNS}
            details={{ nameOf: describeEntry, render: (entry) => <Details entry={entry} /> }}
          />
        )}
      </ListBody>
    </AdminPage>
  );
}

const COLUMNS: Column<AuditEntry>[] = [
  {
    label: t`Details`,
    isWide: true,
    render: (entry) => <Summary entry={entry} />,
  },
  {
    label: t`Administrator`,
    render: ({ actor }) => <span className="block max-w-36 truncate">{actor}</span>,
  },
  { label: t`When`, render: ({ at }) => <time dateTime={at}>{formatDateTime(at)}</time> },
];

function Summary({ entry }: { entry: AuditEntry }) {
  const lines = describeDetails(entry.details);
  if (lines.length === 0)
    return (
      <span className="text-ink-faint">
        <Trans>None</Trans>
      </span>
    );
  return <span className="line-clamp-1 break-all text-ink-soft">{lines.join(', ')}</span>;
}

function describeEntry({ action, subject }: AuditEntry): string {
  return `${describeAction(action)} ${subject}`;
}

function Action({ entry }: { entry: AuditEntry }) {
  const { action, subject } = entry;
  return (
    <p title={describeEntry(entry)} className="max-roomy:wrap-anywhere roomy:truncate">
      <span className="text-ink-soft">{describeAction(action)}</span>{' '}
      <span className="font-medium">{subject}</span>
    </p>
  );
}

/** Everything that one line has no room for. */
function Details({ entry: { details, ipAddress, subject } }: { entry: AuditEntry }) {
  const facts = [
    { name: t`Subject`, lines: [subject] },
    { name: t`Details`, lines: describeDetails(details) },
    { name: t`From`, lines: [ipAddress ?? t`Unknown`] },
  ];
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
      {facts
        .filter(({ lines }) => lines.length > 0)
        .map(({ name, lines }) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name}</dt>
            <dd>
              {lines.map((line) => (
                <p key={line} className="wrap-anywhere text-ink-soft">
                  {line}
                </p>
              ))}
            </dd>
          </div>
        ))}
    </dl>
  );
}
