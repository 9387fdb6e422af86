import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { ApiError } from '../../../client/api-error.ts';
import { readLinkToken } from '../../../contracts/values/links.ts';

/** Marks the history entry of a link whose token has left the address bar. */
const OPENED = { isOpenedLink: true };

/**
 * The token of a mailed account link, from the fragment, or from the query of older links; null without one. It leaves
 * the address bar at once, so that it stays out of the history and of screenshots. `opened` counts the further links
 * that were opened in this tab without loading the page again, as browsers do when only the fragment differs.
 */
export function useLinkToken(): { token: string | null; opened: number } {
  const { hash, search, pathname, state } = useLocation();
  const navigate = useNavigate();
  const present = readLinkToken({ hash, search });
  const [link, setLink] = useState({ token: present, opened: 0 });
  const isFirst = useRef(present !== null);
  useEffect(() => {
    if (present === null) return;
    if (!isFirst.current) setLink(({ opened }) => ({ token: present, opened: opened + 1 }));
    isFirst.current = false;
    navigate(pathname, { replace: true, state: OPENED });
  }, [present, navigate, pathname]);
  // Without the mark, the page was opened directly, for example to request a new link.
  const isOpen = present !== null || (state as typeof OPENED | null)?.isOpenedLink === true;
  return isOpen ? link : { token: null, opened: link.opened };
}

/** The link was used, has expired, or was replaced by a newer one. */
export function isLinkVoid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'link_void';
}
