import type { MouseEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { refusalText } from '../../../client/api-error.ts';
import { PAGES } from '../../../contracts/values/pages.ts';
import { logout } from '../../api/session.ts';
import { toast } from '../../components/feedback/toast.ts';

/** Ends an unverified session on the way: with it, /auth would lead straight back. */
export function BackToLogin({ isSignedIn = false }: { isSignedIn?: boolean }) {
  const navigate = useNavigate();
  const leave = async (event: MouseEvent) => {
    event.preventDefault();
    try {
      await logout();
      navigate(PAGES.auth);
    } catch (error) {
      toast({ title: 'Logout failed', description: refusalText(error), variant: 'destructive' });
    }
  };
  return (
    <Link to={PAGES.auth} className="link py-1" onClick={isSignedIn ? leave : undefined}>
      Back to login
    </Link>
  );
}
