import { useRef } from 'react';
import { TITLE_MAX } from '../../../contracts/plans/limits.ts';
import { TIERS, tierLabel } from '../../../contracts/plans/tiers.ts';
import { SearchField } from '../../components/search-field.tsx';
import { FilterSelect } from './filter-select.tsx';
import type { UserView } from './user-queries.ts';

const PLANS = [
  { value: '', label: 'All plans' },
  ...TIERS.map((tier) => ({ value: tier, label: tierLabel(tier) })),
];
const ROLE_OPTIONS = [
  { value: '', label: 'All roles' },
  { value: 'admin', label: 'Administrators' },
  { value: 'user', label: 'Users' },
];
const SORTS = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'username', label: 'Username A to Z' },
  { value: 'email', label: 'Email A to Z' },
  { value: 'storage', label: 'Most storage' },
];

type UserToolbarProps = {
  view: UserView;
  onChange: (changes: Partial<UserView>) => void;
  isSearching: boolean;
};

export function UserToolbar({ view, onChange, isSearching }: UserToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <search className="mb-6 flex flex-wrap items-center gap-3">
      <div className="flex min-w-[min(100%,16rem)] grow">
        <SearchField
          label="Search users"
          placeholder="Name, username or email"
          maxLength={TITLE_MAX}
          search={view.search}
          onSearch={(search) => onChange({ search })}
          isSearching={isSearching}
          field={field}
        />
      </div>
      <div className="flex flex-wrap gap-3 max-sm:w-full">
        <FilterSelect
          label="Plan"
          options={PLANS}
          value={view.tier}
          onChange={(tier) => onChange({ tier })}
        />
        <FilterSelect
          label="Role"
          options={ROLE_OPTIONS}
          value={view.role}
          onChange={(role) => onChange({ role })}
        />
        <FilterSelect
          label="Sort"
          options={SORTS}
          value={view.sort}
          onChange={(sort) => onChange({ sort })}
        />
      </div>
    </search>
  );
}
