import { useEffect } from 'react';
import { SpinnerPage } from '../components/feedback/spinner-page.tsx';

/**
 * Stands where a document of its own belongs (docs/decisions/0006): the application got there by itself, or
 * by an address that only it takes for ours ("/Terms/"), and asks the server for the document.
 */
export function LeaveApplication() {
  useEffect(() => {
    const path = window.location.pathname.toLowerCase().replace(/\/+$/, '');
    window.location.replace(path || '/');
  }, []);
  return <SpinnerPage />;
}
