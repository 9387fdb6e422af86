import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery } from '@tanstack/react-query';
import { refusalText } from '../../../../client/api-error.ts';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import {
  getPreferences,
  type Preferences,
  updatePreferences,
} from '../../../../contracts/accounts/settings.ts';
import { FEATURES, tierIncludes, tierLabel } from '../../../../contracts/plans/tiers.ts';
import { call } from '../../../api/call.ts';
import { invalidate, queryOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Switch } from '../../../components/form/switch.tsx';
import { Link } from '../../../lib/routing.tsx';
import { SettingsSection } from '../settings-section.tsx';

type Notice = { name: PreferenceName; label: string; hint: string; isPaid: boolean };

const NOTICES: Notice[] = [
  {
    name: 'emailOnDownload',
    label: t`Downloads`,
    hint: t`When someone downloads one of your transfers.`,
    isPaid: true,
  },
  {
    name: 'emailOnView',
    label: t`Views`,
    hint: t`When someone opens one of your links.`,
    isPaid: true,
  },
  {
    name: 'emailOnExpiry',
    label: t`Expiry`,
    hint: t`When one of your transfers is about to expire, and when it has.`,
    isPaid: false,
  },
  {
    name: 'emailOnReopenRequest',
    label: t`Requests to reopen`,
    hint: t`When someone asks for an expired or used-up transfer, at most twice a day for each.`,
    isPaid: false,
  },
];

export function NotificationsSection({ user }: { user: CurrentUser }) {
  const { email } = user;
  const isIncluded = tierIncludes(user.tier, 'notifications');
  return (
    <SettingsSection
      id="notifications"
      title={t`Notifications`}
      description={
        <>
          <Trans>
            We send these emails to <span className="wrap-anywhere">{email}</span>. Changes are saved
            immediately.
          </Trans>{' '}
          {!isIncluded && <UpgradeHint />}
        </>
      }
    >
      <Notices isIncluded={isIncluded} />
    </SettingsSection>
  );
}

function UpgradeHint() {
  const plan = tierLabel(FEATURES.notifications.tier);
  return (
    <Trans>
      Emails about downloads and views come with the {plan} plan.{' '}
      <Link to="/pricing" className="link">
        Upgrade
      </Link>
    </Trans>
  );
}

function Notices({ isIncluded }: { isIncluded: boolean }) {
  const { data, error, refetch, change } = usePreferences();
  if (error && !data) {
    return (
      <LoadFailure
        message={t`Your choices couldn't be loaded.`}
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Placeholders />;
  return (
    <ul className="flex flex-col divide-y divide-line">
      {NOTICES.map(({ name, label, hint, isPaid }) => {
        const isMine = isIncluded || !isPaid;
        return (
          <li key={name} className="py-4 first:pt-0 last:pb-0">
            <Switch
              label={label}
              hint={hint}
              aside={
                isMine ? undefined : (
                  <Badge>
                    <Trans>Pro Feature</Trans>
                  </Badge>
                )
              }
              disabled={!isMine}
              // Show unavailable options as off, whatever was chosen under another plan.
              checked={isMine && data[name]}
              onChange={(event) => change({ name, value: event.target.checked })}
            />
          </li>
        );
      })}
    </ul>
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your choices`} className="flex flex-col gap-8">
      {NOTICES.map(({ name }) => (
        <div key={name} className="flex items-center justify-between gap-4">
          <Skeleton className="h-11 w-2/3" />
          <Skeleton className="h-7 w-12 rounded-full" />
        </div>
      ))}
    </SkeletonGroup>
  );
}

type PreferenceName = keyof Preferences;
type Change = { name: PreferenceName; value: boolean };

/** Shows a change at once and reverts it if the server refuses. */
function usePreferences() {
  const queryKey = queryKeyOf(getPreferences);
  const query = useQuery({ ...queryOf(getPreferences), staleTime: 0 });
  const show = ({ name, value }: Change) =>
    queryClient.setQueryData<Preferences>(queryKey, (shown) => shown && { ...shown, [name]: value });
  const { mutate } = useMutation({
    // Run mutations in sequence so that the last click wins.
    scope: { id: 'preferences' },
    mutationFn: ({ name, value }: Change) => call(updatePreferences, { body: { [name]: value } }),
    onMutate: async (change) => {
      await queryClient.cancelQueries({ queryKey });
      show(change);
    },
    onError: async (error, { name, value }) => {
      show({ name, value: !value });
      toast({ title: t`Update Failed`, description: refusalText(error), variant: 'destructive' });
      await invalidate(getPreferences);
    },
  });
  return { ...query, change: mutate };
}
