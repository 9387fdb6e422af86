import { t } from '@lingui/core/macro';
import { LeaveGuard } from '../components/layout/leave-guard.tsx';

/** Asks before leaving interrupts an upload. */
export function UploadLeaveGuard({ isActive }: { isActive: boolean }) {
  return (
    <LeaveGuard
      isActive={isActive}
      title={t`Leave during the upload?`}
      description={t`The upload stops. Uploaded data is kept for 24 hours, and you can continue from this page.`}
      confirmLabel={t`Leave page`}
    />
  );
}
