import { lazy, Suspense } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { refusalText } from '../client/api-error.ts';
import { logout, useSession } from './api/session.ts';
import { DemoWarning } from './billing/demo-warning.tsx';
import { toast } from './components/toast.ts';
import { DashboardShell } from './features/shell/dashboard-shell.tsx';

const PaymentReturn = lazy(() =>
  import('./billing/payment-return.tsx').then((module) => ({ default: module.PaymentReturn })),
);

/** Stays mounted from page to page, so that the sidebar keeps its state. */
export function DashboardFrame() {
  const { user } = useSession();
  const navigate = useNavigate();
  const { search } = useLocation();
  if (!user) return null;
  const handleLogout = async () => {
    try {
      await logout();
      toast({ title: 'Logged out', description: "You've been successfully logged out." });
      navigate('/auth');
    } catch (error) {
      toast({
        title: 'Logout failed',
        description: refusalText(error),
        variant: 'destructive',
      });
    }
  };
  return (
    <DashboardShell user={user} onLogout={handleLogout} notice={<DemoWarning />}>
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
      {search.includes('redirect_status=') && (
        <Suspense fallback={null}>
          <PaymentReturn />
        </Suspense>
      )}
    </DashboardShell>
  );
}
