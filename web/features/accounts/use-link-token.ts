import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { readLinkToken } from '../../../contracts/links.ts';

/**
 * The token of a mailed account link, from the fragment, or from the query of older links; null without one. It leaves
 * the address bar at once, so that it stays out of the history and of screenshots. `opened` counts the further links
 * that were opened in this tab without loading the page again, as browsers do when only the fragment differs.
 */
export function useLinkToken(): { token: string | null; opened: number } {
  const { hash, search, pathname } = useLocation();
  const navigate = useNavigate();
  const present = readLinkToken({ hash, search });
  const [link, setLink] = useState({ token: present, opened: 0 });
  const isFirst = useRef(present !== null);
  useEffect(() => {
    if (present === null) return;
    if (!isFirst.current) setLink(({ opened }) => ({ token: present, opened: opened + 1 }));
    isFirst.current = false;
    navigate(pathname, { replace: true });
  }, [present, navigate, pathname]);
  return link;
}
