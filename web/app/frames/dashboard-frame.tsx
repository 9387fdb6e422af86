import { t } from '@lingui/core/macro';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { readLastUser } from '../../api/session/last-user.ts';
import { logout, useSession } from '../../api/session/session.ts';
import { useAction } from '../../api/use-action.ts';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { SpinnerPage } from '../../components/feedback/spinner-page.tsx';
import { DashboardShell } from '../../features/shell/dashboard-shell.tsx';
import { MailWarning } from '../../features/shell/mail-warning.tsx';
import { useDeviceSwitch } from '../../lib/browser/device-switch.ts';
import { followAccountLanguage } from '../../lib/language/language.ts';
import { lazy } from '../../lib/loading/lazy.ts';
import { runWhenLoaded } from '../../lib/loading/load-persistently.ts';
import { usePlace } from '../../lib/routing.tsx';
import { DemoWarning } from '../../paying/demo-warning.tsx';
import { StepUpDialog } from '../../signing-in/step-up-dialog.tsx';

const PaymentReturn = lazy(() =>
  import('../../paying/payment-return.tsx').then((module) => ({ default: module.PaymentReturn })),
);

const DropAnywhere = lazy(() =>
  import('./drop-anywhere.tsx').then((module) => ({ default: module.DropAnywhere })),
);

const FirstDownloads = lazy(() =>
  import('../../features/transfers/first-downloads.ts').then((module) => ({
    default: module.FirstDownloads,
  })),
);

/**
 * Stays mounted between pages, so that the sidebar keeps its state. On a further visit it is shown at once, for the user
 * who was signed in last, and the page follows when the server has answered.
 */
export function DashboardFrame({ children }: { children?: ReactNode }) {
  const session = useSession();
  const [lastUser] = useState(readLastUser);
  const user = session.user ?? (session.isLoading ? lastUser : undefined);
  const [, navigate] = useLocation();
  const { search } = usePlace();
  const { mutate } = useAction(logout, {
    onSuccess: () => navigate('/auth'),
    success: { title: t`Logged out`, description: t`You've been successfully logged out.` },
    failure: t`Logout failed`,
  });
  useEffect(() => {
    runWhenLoaded(
      () => import('../service-worker.ts'),
      ({ registerServiceWorker, reportFailedShare }) => {
        registerServiceWorker();
        reportFailedShare();
      },
    );
  }, []);
  const language = session.user?.language;
  useEffect(() => {
    if (language) followAccountLanguage(language);
  }, [language]);
  const notifiesFirstDownloads = useDeviceSwitch('notify-first-download');
  if (!user) return session.isLoading ? <SpinnerPage /> : null;
  return (
    <DashboardShell
      user={user}
      onLogout={() => mutate()}
      notice={
        <>
          <DemoWarning />
          <MailWarning />
        </>
      }
    >
      <Suspense fallback={<LoadingPage />}>{session.user ? children : <LoadingPage />}</Suspense>
      <Suspense fallback={null}>
        <DropAnywhere />
      </Suspense>
      {notifiesFirstDownloads && (
        <Suspense fallback={null}>
          <FirstDownloads />
        </Suspense>
      )}
      <StepUpDialog />
      {search.includes('redirect_status=') && (
        <Suspense fallback={null}>
          <PaymentReturn />
        </Suspense>
      )}
    </DashboardShell>
  );
}

/** Shown while the page's code loads, after a delay that avoids a flash. */
function LoadingPage() {
  return (
    <SkeletonGroup label={t`Loading the page`} className="animate-fade-in [animation-delay:200ms]">
      <Skeleton className="h-10 w-56 max-w-full" />
      <Skeleton className="mt-8 h-36" />
      <Skeleton className="mt-4 h-36" />
      <Skeleton className="mt-4 h-36" />
    </SkeletonGroup>
  );
}
