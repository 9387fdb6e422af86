import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { verifyEmailPath } from '../contracts/links.ts';
import { useSession } from './api/session.ts';
import { SpinnerPage } from './components/spinner-page.tsx';
import { NotFoundPage } from './features/shell/not-found-page.tsx';

/** Who may see a page: everybody, people with an account, administrators (specification section 2). */
export type RouteAccess = 'public' | 'signed-in' | 'admin';

/** Draws the page only for those who may see it; the others are led to where they can become so. */
export function RouteGuard({ access, children }: { access: RouteAccess; children: ReactNode }) {
  return access === 'public' ? children : <SignedInGuard {...{ access, children }} />;
}

function SignedInGuard({ access, children }: { access: RouteAccess; children: ReactNode }) {
  const { user, isLoading } = useSession();
  if (isLoading) return <SpinnerPage />;
  if (!user) return <Navigate to="/auth" replace />;
  if (!user.emailVerified) return <Navigate to={verifyEmailPath(user.email)} replace />;
  if (access === 'admin' && !user.isAdmin) return <NotFoundPage isSignedIn />;
  return children;
}
