import type { MouseEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { PAGES } from '../../../contracts/values/pages.ts';
import { logout } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';

/** Ends an unverified session on the way: with it, /auth would lead straight back. */
export function BackToLogin({ isSignedIn = false }: { isSignedIn?: boolean }) {
  const navigate = useNavigate();
  const { mutate } = useAction(logout, {
    onSuccess: () => void navigate(PAGES.auth),
    failure: 'Logout failed',
  });
  const leave = (event: MouseEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Link to={PAGES.auth} className="link py-1" onClick={isSignedIn ? leave : undefined}>
      Back to login
    </Link>
  );
}
