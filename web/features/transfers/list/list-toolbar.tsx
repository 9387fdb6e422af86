import { t } from '@lingui/core/macro';
import type { RefObject } from 'react';
import { Link } from 'react-router';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { SearchField } from '../../../components/form/search-field.tsx';
import { Select } from '../../../components/form/select.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { type ListView, writeListView } from './list-view.ts';

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

/** Search, filter and order of the list. */
export function ListToolbar({ view, onChange, isSearching, searchField }: ListToolbarProps) {
  return (
    <search className="mb-5 flex flex-wrap items-center gap-3">
      <div className="flex min-w-[min(100%,16rem)] grow">
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
      <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:grow">
        <StateLinks view={view} />
        <Select
          label={t`Sort`}
          isLabelHidden
          options={SORTS}
          value={view.sort}
          onChange={({ target }) => onChange({ sort: target.value as ListView['sort'] })}
        />
      </div>
    </search>
  );
}

/** Links, because each view has its own URL. */
function StateLinks({ view }: { view: ListView }) {
  return (
    <nav
      aria-label={t`Show`}
      className="flex shrink-0 rounded-md border border-edge bg-surface p-1 max-sm:h-control-md max-sm:w-full max-sm:justify-between"
    >
      {STATES.map(({ state, label }) => (
        <Link
          key={state}
          to={{ search: writeListView({ ...view, state }) }}
          aria-current={view.state === state || undefined}
          className={classNames(
            'grid place-items-center rounded-sm px-3 text-sm font-medium transition-colors duration-(--quick)',
            view.state === state
              ? 'bg-accent-wash text-accent-ink'
              : 'text-ink-soft hover:bg-hover hover:text-ink',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
