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
      <search className="mb-6 flex flex-wrap gap-3">
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
          />
        )}
      </ListBody>
    </AdminPage>
  );
}

const COLUMNS: Column<AuditEntry>[] = [
  { label: t`Details`, isWide: true, render: (entry) => <Details entry={entry} /> },
  { label: t`Administrator`, render: ({ actor }) => actor },
  { label: t`From`, render: ({ ipAddress }) => ipAddress ?? t`Unknown` },
  { label: t`When`, render: ({ at }) => <time dateTime={at}>{formatDateTime(at)}</time> },
];

function Action({ entry: { action, subject } }: { entry: AuditEntry }) {
  return (
    <div className="max-w-80 min-w-0">
      <p className="text-ink-soft">{describeAction(action)}</p>
      <p className="line-clamp-2 font-medium wrap-anywhere">{subject}</p>
    </div>
  );
}

function Details({ entry: { details } }: { entry: AuditEntry }) {
  const lines = describeDetails(details);
  if (lines.length === 0)
    return (
      <span className="text-ink-faint">
        <Trans>None</Trans>
      </span>
    );
  return (
    <ul className="text-ink-soft">
      {lines.map((line) => (
        <li key={line} className="wrap-anywhere">
          {line}
        </li>
      ))}
    </ul>
  );
}
