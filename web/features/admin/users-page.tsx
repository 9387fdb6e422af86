import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AdminPage } from './admin-page.tsx';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { ListBody } from './list-body.tsx';
import { useView } from './use-view.ts';
import { type OpenUserDialog, UserDialogs } from './user-dialogs.tsx';
import { isNarrowed, USER_VIEW, useUsers } from './user-queries.ts';
import { UserToolbar } from './user-toolbar.tsx';
import { UsersTable } from './users-table.tsx';

export function AdminUsersPage() {
  const { view, change, clear } = useView(USER_VIEW);
  const list = useUsers(view);
  const [isCreating, setCreating] = useState(false);
  const [dialog, setDialog] = useState<OpenUserDialog | null>(null);
  return (
    <AdminPage
      title="Users"
      action={
        <Button icon={<UserPlus aria-hidden="true" />} onClick={() => setCreating(true)}>
          Create User
        </Button>
      }
    >
      <UserToolbar view={view} onChange={change} isSearching={list.isSearching} />
      <ListBody
        what="users"
        list={list}
        onClear={isNarrowed(view) ? clear : undefined}
        nothing={<EmptyState icon={<Users />} title="No users yet" />}
      >
        {(users) => <UsersTable users={users} onOpen={setDialog} />}
      </ListBody>
      <CreateUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <UserDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </AdminPage>
  );
}
