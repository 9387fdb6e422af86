import { t } from '@lingui/core/macro';
import type { RefObject } from 'react';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { SearchField } from '../../../components/form/search-field.tsx';
import { Select } from '../../../components/form/select.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { Link, withQuery } from '../../../lib/routing.tsx';
import { FULL_LIST, type ListView, writeListView } from './list-view.ts';

const STATES: { state: ListView['state']; label: string }[] = [
  { state: 'all', label: t`All` },
  { state: 'active', label: t`Active` },
  { state: 'limit-reached', label: t`Limit reached` },
  { state: 'expired', label: t`Expired` },
];

const SORTS: { value: ListView['sort']; label: string }[] = [
  { value: 'newest', label: t`Newest first` },
  { value: 'oldest', label: t`Oldest first` },
  { value: 'expiry', label: t`Expiring first` },
  { value: 'size', label: t`Largest first` },
  { value: 'downloads', label: t`Most downloads` },
  { value: 'title', label: t`Title A to Z` },
];

type ListToolbarProps = {
  view: ListView;
  onChange: (changes: Partial<ListView>) => void;
  isSearching: boolean;
  searchField: RefObject<HTMLInputElement | null>;
};

const TABS: { origin: ListView['origin']; label: string }[] = [
  { origin: 'sent', label: t`Sent` },
  { origin: 'received', label: t`Received` },
];

/** The two kinds of transfers. Search and filter start over, the order stays. */
export function OriginTabs({ view }: { view: ListView }) {
  return (
    <ViewLinks
      label={t`Sent or received`}
      links={TABS.map(({ origin, label }) => ({
        label,
        view: { ...FULL_LIST, sort: view.sort, origin },
        isCurrent: view.origin === origin,
      }))}
    />
  );
}

/** Search, filter and order of the list. */
export function ListToolbar({ view, onChange, isSearching, searchField }: ListToolbarProps) {
  return (
    <search className="mb-3 flex flex-wrap items-center gap-3">
      <div className="flex min-w-32 grow basis-0 sm:min-w-48">
        <SearchField
          label={t`Search transfers`}
          placeholder={t`Title, message, recipient or file`}
          maxLength={TITLE_MAX}
          search={view.search}
          onSearch={(search) => onChange({ search })}
          isSearching={isSearching}
          field={searchField}
        />
      </div>
      <Select
        label={t`Sort`}
        isLabelHidden
        className="max-sm:w-38 max-[22.5rem]:w-full"
        options={SORTS}
        value={view.sort}
        onChange={({ target }) => onChange({ sort: target.value as ListView['sort'] })}
      />
      <StateLinks view={view} />
    </search>
  );
}

function StateLinks({ view }: { view: ListView }) {
  return (
    <ViewLinks
      label={t`Show`}
      links={STATES.map(({ state, label }) => ({
        label,
        view: { ...view, state },
        isCurrent: view.state === state,
      }))}
    />
  );
}

type ViewLink = { label: string; view: ListView; isCurrent: boolean };

/** Links, because each view has its own URL. */
function ViewLinks({ label, links }: { label: string; links: ViewLink[] }) {
  return (
    <nav
      aria-label={label}
      className="flex h-control-md shrink-0 rounded-md border border-edge bg-surface p-1 max-sm:w-full max-sm:justify-between"
    >
      {links.map(({ label: words, view, isCurrent }) => (
        <Link
          key={words}
          to={withQuery(PAGES.dashboard, writeListView(view))}
          aria-current={isCurrent || undefined}
          className={classNames(
            'grid place-items-center rounded-sm px-3 text-sm font-medium transition-colors duration-(--quick) max-sm:grow max-sm:px-2 max-sm:text-center max-sm:leading-tight',
            isCurrent
              ? 'bg-accent-wash text-accent-ink forced-colors:outline-2 forced-colors:-outline-offset-2'
              : 'text-ink-soft hover:bg-hover hover:text-ink',
          )}
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}
