import type { ReactNode } from 'react';
import { type GuardedAccess, RouteGuard } from '../route-guard.tsx';
import { DashboardFrame } from './dashboard-frame.tsx';
import { SessionFrame } from './session-frame.tsx';

type SignedInFrameProps = { access: GuardedAccess; children: ReactNode };

/** The guard is around the frame, so that a refused page renders no frame. */
export function SignedInFrame({ access, children }: SignedInFrameProps) {
  return (
    <SessionFrame>
      <RouteGuard access={access} pending={<DashboardFrame />}>
        <DashboardFrame>{children}</DashboardFrame>
      </RouteGuard>
    </SessionFrame>
  );
}
