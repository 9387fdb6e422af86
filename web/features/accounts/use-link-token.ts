import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../../client/api-error.ts';
import { readLinkToken } from '../../../contracts/values/addresses/links.ts';
import { usePlace } from '../../lib/routing.tsx';

/** Marks the history entry of a link whose token was removed from the address bar. */
const OPENED = { isOpenedLink: true };

/**
 * The token of an emailed account link, from the fragment or, in older links, from the query; null without one. It is
 * removed from the address bar immediately, so that it doesn't appear in the history or in screenshots. `opened` counts
 * further links opened in this tab, because browsers don't reload the page if only the fragment differs.
 */
export function useLinkToken(): { token: string | null; opened: number } {
  const { hash, search, pathname, state } = usePlace();
  const [, navigate] = useLocation();
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

/** Whether the link was used, has expired or was replaced by a newer one. */
export function isLinkVoid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'link_void';
}
