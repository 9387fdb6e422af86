import { Navigate } from 'react-router';
import { PAGES } from '../../../contracts/pages.ts';
import { useSession } from '../../api/session.ts';
import { SpinnerPage } from '../../components/spinner-page.tsx';

/** The root address leads to the dashboard, or to where people sign in. */
export function StartPage() {
  const { user, isLoading } = useSession();
  if (isLoading) return <SpinnerPage />;
  return <Navigate to={user ? PAGES.dashboard : PAGES.auth} replace />;
}
