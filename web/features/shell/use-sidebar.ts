import { useCallback, useEffect, useState } from 'react';
import { isSidebarOpen, sidebarCookie } from '../../lib/browser/sidebar-cookie.ts';
import { MOBILE, useMediaQuery } from '../../lib/hooks/use-media-query.ts';

export type SidebarState = {
  isMobile: boolean;
  /** The column on wide windows. */
  isCollapsed: boolean;
  /** The sheet on phones. */
  isSheetOpen: boolean;
  setSheetOpen: (isOpen: boolean) => void;
  toggle: () => void;
};

/** Toggled by the button or Ctrl/Meta+B. Wide windows remember the state for a week. */
export function useSidebar(): SidebarState {
  const isMobile = useMediaQuery(MOBILE);
  const [isOpen, setOpen] = useState(() => isSidebarOpen(document.cookie));
  const [isSheetOpen, setSheetOpen] = useState(false);

  const toggle = useCallback(() => {
    if (isMobile) {
      setSheetOpen(!isSheetOpen);
      return;
    }
    setOpen(!isOpen);
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
    document.cookie = sidebarCookie(!isOpen, { isHttps: window.location.protocol === 'https:' });
  }, [isMobile, isOpen, isSheetOpen]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'b' || !(event.ctrlKey || event.metaKey)) return;
      // With Shift, browsers toggle the bookmarks bar.
      if (event.shiftKey || event.altKey) return;
      event.preventDefault();
      toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [toggle]);

  return { isMobile, isCollapsed: !isOpen, isSheetOpen: isMobile && isSheetOpen, setSheetOpen, toggle };
}
