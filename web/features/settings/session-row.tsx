import { Monitor, Smartphone, SquareTerminal } from 'lucide-react';
import type { Session } from '../../../contracts/accounts/settings.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useRelativeTime } from '../../lib/relative-time.ts';
import { describeDevice } from './describe-device.ts';
import { useEndSessions } from './session-queries.ts';
import { focusSection } from './settings-section.tsx';

const ICONS = { computer: Monitor, phone: Smartphone, program: SquareTerminal };

export function SessionRow({ session }: { session: Session }) {
  const { isCurrent, ipAddress, lastSeenAt, userAgent } = session;
  const { name, kind } = describeDevice(userAgent);
  const lastSeen = useRelativeTime(lastSeenAt);
  const Icon = ICONS[kind];
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
          {isCurrent && <Badge tone="accent">This device</Badge>}
        </p>
        <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span>{isCurrent ? 'Active now' : `Last active ${lastSeen}`}</span>
          {ipAddress && <span className="wrap-anywhere text-ink-faint">{ipAddress}</span>}
        </p>
      </div>
      {!isCurrent && <SignOut session={session} name={name} />}
    </li>
  );
}

function SignOut({ session, name }: { session: Session; name: string }) {
  const { mutate, isPending } = useEndSessions();
  const signOut = () => mutate([session], { onSuccess: () => focusSection('sessions') });
  return (
    <Button
      variant="secondary"
      size="sm"
      isBusy={isPending}
      aria-label={`Sign out ${name}`}
      onClick={signOut}
    >
      Sign out
    </Button>
  );
}
