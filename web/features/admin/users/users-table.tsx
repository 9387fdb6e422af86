import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, LogOut, ShieldOff, Trash2 } from 'lucide-react';
import type { AdminUser } from '../../../../contracts/admin/users.ts';
import { TIERS, type TierName, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { useSession } from '../../../api/session/session.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Menu, MenuItem } from '../../../components/actions/menu.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { Link } from '../../../lib/routing.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import type { OpenUserDialog } from './user-dialogs.tsx';

type UsersTableProps = { users: AdminUser[]; onOpen: (dialog: OpenUserDialog) => void };

export function UsersTable({ users, onOpen }: UsersTableProps) {
  const columns: Column<AdminUser>[] = [
    { label: t`Plan`, render: (user) => <PlanChoice user={user} onOpen={onOpen} /> },
    {
      label: t`Administrator`,
      render: (user) => (
        <Switch
          className="w-fit"
          label={t`${user.username} is an administrator`}
          isLabelHidden
          checked={user.isAdmin}
          onChange={() => onOpen({ kind: 'admin', user })}
        />
      ),
    },
    { label: t`Transfers`, render: (user) => <TransfersLink user={user} />, isNumber: true },
    { label: t`Storage`, render: ({ storageBytes }) => formatSize(storageBytes), isNumber: true },
    {
      label: t`Joined`,
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
  ];
  return (
    <DataTable
      label={t`Users`}
      rows={users}
      keyOf={({ id }) => id}
      heading={{ label: t`User`, render: (user) => <Identity user={user} /> }}
      columns={columns}
      actions={(user) => (
        <>
          <IconButton
            label={t`Reset the password of ${user.username}`}
            icon={<KeyRound />}
            size="sm"
            onClick={() => onOpen({ kind: 'password', user })}
          />
          <IconButton
            label={t`Delete ${user.username}`}
            icon={<Trash2 />}
            size="sm"
            onClick={() => onOpen({ kind: 'delete', user })}
          />
          <Menu label={t`More actions for ${user.username}`}>
            <MenuItem
              icon={<LogOut aria-hidden="true" />}
              onSelect={() => onOpen({ kind: 'sign-out', user })}
            >
              <Trans>Sign out everywhere</Trans>
            </MenuItem>
            {user.hasSecondFactor && (
              <MenuItem
                icon={<ShieldOff aria-hidden="true" />}
                onSelect={() => onOpen({ kind: 'factor', user })}
              >
                <Trans>Reset the second factor</Trans>
              </MenuItem>
            )}
          </Menu>
        </>
      )}
    />
  );
}

function Identity({ user: { id, username, name, email, emailVerified } }: { user: AdminUser }) {
  const { user: self } = useSession();
  return (
    <div className="flex min-w-0 items-center gap-x-2.5 gap-y-0.5 max-roomy:flex-wrap">
      <span className="min-w-0 font-medium max-roomy:wrap-anywhere roomy:shrink-0 roomy:truncate roomy:max-w-1/2">
        {username}
      </span>
      {self?.id === id && (
        <Badge tone="outline">
          <Trans>You</Trans>
        </Badge>
      )}
      {!emailVerified && (
        <Badge>
          <Trans>Not verified</Trans>
        </Badge>
      )}
      <span
        title={email}
        className="min-w-0 text-ink-faint max-roomy:basis-full max-roomy:text-xs max-roomy:wrap-anywhere roomy:truncate"
      >
        {name !== username && `${name}, `}
        {email}
      </span>
    </div>
  );
}

type PlanChoiceProps = { user: AdminUser; onOpen: UsersTableProps['onOpen'] };

/** Asks before anything changes: one arrow key chooses another plan. */
function PlanChoice({ user, onOpen }: PlanChoiceProps) {
  return (
    <Select
      label={t`Plan of ${user.username}`}
      isLabelHidden
      scale="sm"
      className="w-28 max-md:w-31"
      options={TIERS.map((tier) => ({ value: tier, label: tierLabel(tier) }))}
      value={user.tier}
      onChange={({ target }) => onOpen({ kind: 'plan', user, tier: target.value as TierName })}
    />
  );
}

function TransfersLink({ user: { username, transferCount } }: { user: AdminUser }) {
  if (transferCount === 0) return '0';
  return (
    <Link
      to={`${PAGES.adminTransfers}?owner=${encodeURIComponent(username)}`}
      aria-label={t`${formatCount(transferCount)} transfers of ${username}`}
      className="link inline-block min-w-6 py-1"
    >
      {formatCount(transferCount)}
    </Link>
  );
}
