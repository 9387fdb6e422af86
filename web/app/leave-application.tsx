import { useEffect } from 'react';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';

/**
 * Loads a static page (docs/decisions/0006) from the server. Rendered if navigation inside the app leads to one, or if
 * only the app's router matches the path ("/Terms/").
 */
export function LeaveApplication() {
  useEffect(() => {
    const path = window.location.pathname.toLowerCase().replace(/\/+$/, '');
    window.location.replace(path || '/');
  }, []);
  return <SpinnerPage />;
}
