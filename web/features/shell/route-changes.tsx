import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';

/** Lets the title of the new page settle before it is read out. */
const SETTLE_MS = 300;

/**
 * What a browser does on a real page load and a one-page application must do itself: start at the top, say the
 * title. Steps through the history lead to where the page was left.
 */
export function RouteChanges() {
  const { pathname } = useLocation();
  const isNew = useNavigationType() !== 'POP';
  const lastPath = useRef(pathname);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    if (isNew) window.scrollTo(0, 0);
    const timer = setTimeout(() => setAnnouncement(document.title), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [pathname, isNew]);
  return <VisuallyHidden isAnnounced>{announcement}</VisuallyHidden>;
}
