import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { dismissStaleToast } from '../../components/feedback/toast.ts';
import { VisuallyHidden } from '../../components/layout/visually-hidden.tsx';

/** Lets the title of the new page settle before it is read out. */
const SETTLE_MS = 300;

/**
 * Does what a page load does: starts at the top, announces the title and closes the last page's error toast. Steps
 * through the history keep their scroll position.
 */
export function RouteChanges() {
  const { pathname } = useLocation();
  const isNew = useNavigationType() !== 'POP';
  const lastPath = useRef(pathname);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    dismissStaleToast();
    if (isNew) window.scrollTo(0, 0);
    const timer = setTimeout(() => setAnnouncement(document.title), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [pathname, isNew]);
  return <VisuallyHidden isAnnounced>{announcement}</VisuallyHidden>;
}
