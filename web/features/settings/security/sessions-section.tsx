import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Monitor, Smartphone, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { LoadFailure } from '../../../api/load-failure.tsx';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { Link } from '../../../lib/routing.tsx';
import { useRelativeTime } from '../../../lib/time/relative-time.ts';
import { nameOfCountry } from '../../../lib/values/country-names.ts';
import { describeDevice } from '../../../lib/values/describe-device.ts';
import { METHOD_NAMES } from '../../../signing-in/method-names.ts';
import { SignOutForm } from '../../../signing-in/sign-out-form.tsx';
import { focusSection, SettingsSection } from '../settings-section.tsx';
import { useEndSession, useSessions, useSignOutEverywhere } from './session-queries.ts';

/** "Show all" reveals the rest. */
const SHOWN_AT_FIRST = 5;

export function SessionsSection() {
  const { data: sessions, error, refetch } = useSessions();
  const others = sessions?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsSection
      id="sessions"
      title={t`Sessions`}
      description={
        <Trans>
          Devices where you're signed in. If you don't recognize one, sign it out and{' '}
          <Link to={`${PAGES.settings}#password`} className="link">
            change your password
          </Link>
          .
        </Trans>
      }
      action={others.length > 0 && <SignOutOthers count={others.length} />}
    >
      {sessions && <SessionList sessions={sessions} />}
      {!sessions && error && (
        <LoadFailure
          message={t`Your sessions couldn't be loaded.`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {!sessions && !error && <Placeholders />}
    </SettingsSection>
  );
}

function SessionList({ sessions }: { sessions: Session[] }) {
  const [isWhole, setWhole] = useState(false);
  const count = sessions.length;
  const shown = isWhole ? sessions : sessions.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <ul aria-label={t`Sessions`} className="flex flex-col divide-y divide-line">
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {shown.length < count && (
        <Button variant="ghost" size="sm" className="mt-4 -ml-3.5" onClick={() => setWhole(true)}>
          <Trans>Show all {count}</Trans>
        </Button>
      )}
    </>
  );
}

function SignOutOthers({ count }: { count: number }) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending } = useSignOutEverywhere();
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => setOpen(true)}>
        <Trans>Sign out all others</Trans>
      </Button>
      <Dialog
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={t`Sign out all other devices?`}
        description={plural(count, {
          one: 'You stay signed in here. The other session ends immediately, and its running uploads stop.',
          other:
            'You stay signed in here. The # other sessions end immediately, and their running uploads stop.',
        })}
      >
        <SignOutForm
          submitLabel={t`Sign out all others`}
          isPending={isPending}
          onSubmit={(choice) => mutate(choice, { onSettled: close })}
          onCancel={close}
        />
      </Dialog>
    </>
  );
}

function Placeholders() {
  return (
    <SkeletonGroup label={t`Loading your sessions`} className="flex flex-col gap-6">
      {['first', 'second'].map((name) => (
        <div key={name} className="flex items-center gap-4">
          <Skeleton className="size-11 rounded-full" />
          <Skeleton className="h-11 grow" />
        </div>
      ))}
    </SkeletonGroup>
  );
}

const ICONS = { computer: Monitor, phone: Smartphone, program: SquareTerminal };

function SessionRow({ session }: { session: Session }) {
  const { isCurrent, ipAddress, lastSeenAt, userAgent, country, city, methods } = session;
  const { name, kind } = describeDevice(userAgent);
  const lastSeen = useRelativeTime(lastSeenAt);
  const Icon = ICONS[kind];
  const place = [city, country && nameOfCountry(country)].filter(Boolean).join(', ');
  return (
    <li className="flex items-center gap-4 py-4 first:pt-0 last:pb-0">
      <span
        aria-hidden="true"
        className="grid size-11 shrink-0 place-items-center rounded-full border border-line-firm text-ink-soft"
      >
        <Icon strokeWidth={1.5} className="size-5" />
      </span>
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium">{name}</span>
          {isCurrent && (
            <Badge tone="accent">
              <Trans>This device</Trans>
            </Badge>
          )}
        </p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span>{isCurrent ? t`Active now` : t`Last active ${lastSeen}`}</span>
          {place && <span>{place}</span>}
          {ipAddress && <span className="wrap-anywhere text-ink-faint">{ipAddress}</span>}
          <span className="text-ink-faint">{methods.map((method) => METHOD_NAMES[method]).join(', ')}</span>
        </p>
      </div>
      {!isCurrent && <SignOut session={session} name={name} />}
    </li>
  );
}

function SignOut({ session, name }: { session: Session; name: string }) {
  const { mutate, isPending } = useEndSession();
  const signOut = () => mutate(session, { onSuccess: () => focusSection('sessions') });
  return (
    <Button
      variant="secondary"
      size="sm"
      isBusy={isPending}
      aria-label={t`Sign out ${name}`}
      onClick={signOut}
    >
      <Trans>Sign out</Trans>
    </Button>
  );
}
