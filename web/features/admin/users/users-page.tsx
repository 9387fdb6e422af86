import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { UserPlus, Users } from 'lucide-react';
import { useRef, useState } from 'react';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { TIERS, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { AdminPage } from '../admin-page.tsx';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { useView } from '../lists/use-view.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { type OpenUserDialog, UserDialogs } from './user-dialogs.tsx';
import { isNarrowed, USER_VIEW, type UserView, useUsers } from './user-queries.ts';
import { UsersTable } from './users-table.tsx';

export function AdminUsersPage() {
  const { view, change, clear } = useView(USER_VIEW);
  const list = useUsers(view);
  const [isCreating, setCreating] = useState(false);
  const [dialog, setDialog] = useState<OpenUserDialog | null>(null);
  return (
    <AdminPage
      title={t`Users`}
      action={
        <Button icon={<UserPlus aria-hidden="true" />} onClick={() => setCreating(true)}>
          <Trans>Create User</Trans>
        </Button>
      }
    >
      <UserToolbar view={view} onChange={change} isSearching={list.isSearching} />
      <ListBody
        list={list}
        onClear={isNarrowed(view) ? clear : undefined}
        nothing={<EmptyState icon={<Users />} title={t`No users yet`} />}
      >
        {(users) => <UsersTable users={users} onOpen={setDialog} />}
      </ListBody>
      <CreateUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <UserDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </AdminPage>
  );
}

const PLANS = [
  { value: '', label: t`All plans` },
  ...TIERS.map((tier) => ({ value: tier, label: tierLabel(tier) })),
];
const ROLE_OPTIONS = [
  { value: '', label: t`All roles` },
  { value: 'admin', label: t`Administrators` },
  { value: 'user', label: t`Users` },
];
const SORTS = [
  { value: '', label: t`Newest first` },
  { value: 'oldest', label: t`Oldest first` },
  { value: 'username', label: t`Username A to Z` },
  { value: 'email', label: t`Email A to Z` },
  { value: 'storage', label: t`Most storage` },
];

type UserToolbarProps = {
  view: UserView;
  onChange: (changes: Partial<UserView>) => void;
  isSearching: boolean;
};

function UserToolbar({ view, onChange, isSearching }: UserToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <search className="mb-4 flex flex-wrap items-center gap-3">
      <div className="flex min-w-[min(100%,16rem)] grow">
        <SearchField
          label={t`Search users`}
          placeholder={t`Name, username or email`}
          maxLength={TITLE_MAX}
          search={view.search}
          onSearch={(search) => onChange({ search })}
          isSearching={isSearching}
          field={field}
        />
      </div>
      <div className="flex flex-wrap gap-3 max-sm:w-full">
        <FilterSelect
          label={t`Plan`}
          options={PLANS}
          value={view.tier}
          onChange={(tier) => onChange({ tier })}
        />
        <FilterSelect
          label={t`Role`}
          options={ROLE_OPTIONS}
          value={view.role}
          onChange={(role) => onChange({ role })}
        />
        <FilterSelect
          label={t`Sort`}
          options={SORTS}
          value={view.sort}
          onChange={(sort) => onChange({ sort })}
        />
      </div>
    </search>
  );
}
