import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { RecoveryReason } from '../../../contracts/accounts/settings.ts';
import { Button } from '../../components/actions/button.tsx';
import { formatDateTime } from '../../lib/time/format-dates.ts';
import { useRelativeTime } from '../../lib/time/relative-time.ts';

export function RecoveryNotice({ reason, at }: { reason: RecoveryReason; at: string }) {
  const when = useRelativeTime(at);
  return (
    <p className="mt-2 text-sm text-danger-ink" title={formatDateTime(at)}>
      {describeRecovery(reason, when)}
    </p>
  );
}

function describeRecovery(reason: RecoveryReason, when: string): string {
  if (reason === 'password-reset') return t`Disabled ${when} after a password reset`;
  if (reason === 'email-undone') return t`Disabled ${when} after an email change was undone`;
  if (reason === 'signed-out') return t`Disabled ${when} when you signed out everywhere`;
  return t`Disabled ${when} after “This wasn’t me”`;
}

type EnableButtonProps = { name: string; isBusy: boolean; onClick: () => void };

/** Replaces the switch of a key or webhook that an account recovery disabled. */
export function EnableButton({ name, isBusy, onClick }: EnableButtonProps) {
  return (
    <Button variant="secondary" size="sm" isBusy={isBusy} aria-label={t`Enable ${name}`} onClick={onClick}>
      <Trans>Enable</Trans>
    </Button>
  );
}
