import { Navigate } from 'react-router';
import { PAGES } from '../../../contracts/values/pages.ts';

/** The dashboard is the section one begins with (specification section 2). */
export function AdminHomePage() {
  return <Navigate to={PAGES.adminDashboard} replace />;
}
