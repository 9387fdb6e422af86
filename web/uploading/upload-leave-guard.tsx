import { LeaveGuard } from '../components/leave-guard.tsx';

/** Asks before anything interrupts an upload. */
export function UploadLeaveGuard({ isActive }: { isActive: boolean }) {
  return (
    <LeaveGuard
      isActive={isActive}
      title="Leave while files are being sent?"
      description="The upload stops here. What has arrived is kept for 24 hours, and you can continue from this page."
      confirmLabel="Leave page"
    />
  );
}
