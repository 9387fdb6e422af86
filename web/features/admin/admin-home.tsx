import { Navigate } from 'react-router';
import { PAGES } from '../../../contracts/values/pages.ts';

/** Redirects to the dashboard, the first section. */
export function AdminHomePage() {
  return <Navigate to={PAGES.adminDashboard} replace />;
}
