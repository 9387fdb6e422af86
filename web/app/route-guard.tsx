import { type ReactNode, Suspense } from 'react';
import { Redirect } from 'wouter';
import { verifyEmailPath } from '../../contracts/values/addresses/links.ts';
import { refreshSession, useSession } from '../api/session/session.ts';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { signInPath } from '../features/accounts/next-path.ts';
import { ErrorPage } from '../features/shell/error-page.tsx';
import { lazy } from '../lib/loading/lazy.ts';
import { usePlace } from '../lib/routing.tsx';

export type GuardedAccess = 'signed-in' | 'admin';

const AddFactorPage = lazy(() =>
  import('./add-factor-page.tsx').then((module) => ({ default: module.AddFactorPage })),
);
const NotFoundPage = lazy(() =>
  import('../features/shell/not-found-page.tsx').then((module) => ({ default: module.NotFoundPage })),
);

type RouteGuardProps = {
  access: GuardedAccess;
  /** What is shown while the user is being determined. */
  pending: ReactNode;
  children: ReactNode;
};

/** Redirects users who may not see the page. */
export function RouteGuard({ access, pending, children }: RouteGuardProps) {
  const { user, isLoading, error } = useSession();
  const location = usePlace();
  if (!isLoading && user?.emailVerified && user.mustAddFactor)
    return (
      <Suspense fallback={<SpinnerPage />}>
        <AddFactorPage />
      </Suspense>
    );
  if (!isLoading && user?.emailVerified) {
    if (access !== 'admin' || user.isAdmin) return children;
    return (
      <Suspense fallback={<SpinnerPage />}>
        <NotFoundPage isSignedIn />
      </Suspense>
    );
  }
  if (isLoading) return pending;
  if (error) return <ErrorPage onReload={() => void refreshSession()} />;
  // After signing out here, another navigation is already running; let it decide.
  const isLeaving = window.location.pathname !== location.pathname;
  if (isLeaving) return <SpinnerPage />;
  return <Redirect to={user ? verifyEmailPath(user.email) : signInPath(location)} replace />;
}
