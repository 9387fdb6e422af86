import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { readLinkToken } from '../../../contracts/links.ts';

/**
 * The token of a mailed account link, from the fragment, or from the query of older links; null without one. It leaves
 * the address bar at once, so that it stays out of the history and of screenshots.
 */
export function useLinkToken(): string | null {
  const { hash, search, pathname } = useLocation();
  const navigate = useNavigate();
  const present = readLinkToken({ hash, search });
  const [token, setToken] = useState(present);
  useEffect(() => {
    if (present === null) return;
    // A second link may be opened in the same tab.
    setToken(present);
    navigate(pathname, { replace: true });
  }, [present, navigate, pathname]);
  return token;
}
