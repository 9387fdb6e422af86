import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import {
  KeyRound,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  ShieldAlert,
  ShieldCheck,
  Webhook,
} from 'lucide-react';
import {
  ACCOUNT_EVENTS_PER_PAGE,
  type AccountEvent,
  type AccountEventKind,
  listAccountEvents,
} from '../../../../contracts/accounts/events.ts';
import { pagesOf } from '../../../api/endpoint-query.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { nameOfCountry } from '../../../lib/values/country-names.ts';
import { describeDevice } from '../../../lib/values/describe-device.ts';
import { METHOD_NAMES } from '../../../signing-in/method-names.ts';
import { SettingsSection } from '../settings-section.tsx';

export function EventsSection() {
  const query = { limit: ACCOUNT_EVENTS_PER_PAGE };
  const result = useInfiniteQuery({ ...pagesOf(listAccountEvents, { query }), staleTime: 0 });
  const events = result.data?.pages.flatMap(({ items }) => items);
  return (
    <SettingsSection
      id="activity"
      title={t`Recent activity`}
      description={t`Sign-ins and changes of your account's security in the last 180 days.`}
    >
      {events?.length === 0 && (
        <p className="text-ink-soft">
          <Trans>Nothing has happened yet.</Trans>
        </p>
      )}
      {events && events.length > 0 && (
        <ul aria-label={t`Recent activity`} className="flex flex-col divide-y divide-line">
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
      )}
      {result.hasNextPage && (
        <Button
          variant="ghost"
          size="sm"
          className="mt-4 -ml-3.5"
          isBusy={result.isFetchingNextPage}
          onClick={() => void result.fetchNextPage()}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
      {!events && result.error && (
        <LoadFailure
          message={t`Your recent activity couldn't be loaded.`}
          error={result.error}
          onRetry={() => void result.refetch()}
        />
      )}
      {!events && !result.error && (
        <SkeletonGroup label={t`Loading your recent activity`} className="flex flex-col gap-6">
          {['first', 'second'].map((name) => (
            <Skeleton key={name} className="h-11" />
          ))}
        </SkeletonGroup>
      )}
    </SettingsSection>
  );
}

const KINDS: Record<AccountEventKind, [text: string, Icon: LucideIcon]> = {
  'sign-in': [t`Signed in`, LogIn],
  'sign-in-new-device': [t`Signed in on a new device`, ShieldAlert],
  'second-factor-added': [t`Second factor added`, ShieldCheck],
  'second-factor-removed': [t`Second factor removed`, ShieldAlert],
  'second-factor-reset': [t`Second factor removed by an administrator`, ShieldAlert],
  'recovery-codes-created': [t`Recovery codes created`, ShieldCheck],
  'recovery-code-used': [t`Recovery code used`, ShieldAlert],
  'passkey-refused': [t`Passkey refused`, ShieldAlert],
  'identity-linked': [t`Sign-in provider linked`, ShieldCheck],
  'identity-unlinked': [t`Sign-in provider unlinked`, ShieldAlert],
  'password-changed': [t`Password changed`, KeyRound],
  'password-reset': [t`Password reset`, KeyRound],
  'email-changed': [t`Email address changed`, Mail],
  'email-change-undone': [t`Email change undone`, ShieldCheck],
  'api-key-created': [t`API key created`, KeyRound],
  'api-key-changed': [t`API key changed`, KeyRound],
  'api-key-deleted': [t`API key deleted`, KeyRound],
  'webhook-created': [t`Webhook created`, Webhook],
  'webhook-changed': [t`Webhook changed`, Webhook],
  'webhook-secret-rotated': [t`Webhook secret rotated`, Webhook],
  'webhook-deleted': [t`Webhook deleted`, Webhook],
  'sessions-ended': [t`Device signed out`, LogOut],
  'account-secured': [t`Account secured`, ShieldCheck],
};

function EventRow({ event }: { event: AccountEvent }) {
  const { kind, name, method, createdAt, userAgent, country, city, ipAddress } = event;
  const when = useRelativeTime(createdAt);
  const [text, Icon] = KINDS[kind];
  const place = [city, country && nameOfCountry(country)].filter(Boolean).join(', ');
  const facts = [
    when,
    method && METHOD_NAMES[method],
    userAgent && describeDevice(userAgent).name,
    place,
    ipAddress,
  ].filter(Boolean);
  return (
    <li className="flex items-center gap-4 py-4 first:pt-0 last:pb-0">
      <span
        aria-hidden="true"
        className="grid size-11 shrink-0 place-items-center rounded-full border border-line-firm text-ink-soft"
      >
        <Icon strokeWidth={1.5} className="size-5" />
      </span>
      <div className="min-w-0 grow">
        <p className="font-medium wrap-anywhere">{name ? `${text}: ${name}` : text}</p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          {facts.map((fact) => (
            <span key={fact} className="wrap-anywhere">
              {fact}
            </span>
          ))}
        </p>
      </div>
    </li>
  );
}
