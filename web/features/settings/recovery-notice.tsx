import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import { Button } from '../../components/actions/button.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';

const AFTER: Record<RecoveryReason, string> = {
  'password-reset': 'after a password reset',
  'email-undone': 'after an email change was undone',
  reported: 'after “This wasn’t me”',
};

/** When and why an account recovery disabled a key or a webhook. */
export function RecoveryNotice({ reason, at }: { reason: RecoveryReason; at: string }) {
  const when = useRelativeTime(at);
  return (
    <p className="mt-2 text-sm text-danger-ink" title={formatDateTime(at)}>
      Disabled {when} {AFTER[reason]}
    </p>
  );
}

type EnableButtonProps = { name: string; isBusy: boolean; onClick: () => void };

/** Replaces the switch of a key or webhook that an account recovery disabled. */
export function EnableButton({ name, isBusy, onClick }: EnableButtonProps) {
  return (
    <Button variant="secondary" size="sm" isBusy={isBusy} aria-label={`Enable ${name}`} onClick={onClick}>
      Enable
    </Button>
  );
}
