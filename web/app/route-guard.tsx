import { lazy, type ReactNode, Suspense } from 'react';
import { Navigate, useLocation } from 'react-router';
import { verifyEmailPath } from '../../contracts/values/links.ts';
import { useSession } from '../api/session.ts';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';
import { signInPath } from '../features/accounts/next-path.ts';
import { NotFoundPage } from '../features/shell/not-found-page.tsx';

export type RouteAccess = 'public' | 'signed-in' | 'admin';

const AddFactorPage = lazy(() =>
  import('./add-factor-page.tsx').then((module) => ({ default: module.AddFactorPage })),
);

/** Redirects users who may not see the page. */
export function RouteGuard({ access, children }: { access: RouteAccess; children: ReactNode }) {
  return access === 'public' ? children : <SignedInGuard {...{ access, children }} />;
}

function SignedInGuard({ access, children }: { access: RouteAccess; children: ReactNode }) {
  const { user, isLoading } = useSession();
  const location = useLocation();
  if (!isLoading && user?.emailVerified && user.mustAddFactor)
    return (
      <Suspense fallback={<SpinnerPage />}>
        <AddFactorPage />
      </Suspense>
    );
  if (!isLoading && user?.emailVerified) {
    return access === 'admin' && !user.isAdmin ? <NotFoundPage isSignedIn /> : children;
  }
  // After signing out here, another navigation is already running; let it decide.
  const isLeaving = window.location.pathname !== location.pathname;
  if (isLoading || isLeaving) return <SpinnerPage />;
  return <Navigate to={user ? verifyEmailPath(user.email) : signInPath(location)} replace />;
}
