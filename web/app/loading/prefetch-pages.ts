import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { whenIdle } from '../../lib/loading/when-idle.ts';
import { ROUTES } from '../routes.tsx';
import { matchPage } from './match-page.ts';

/** Where visitors usually go next. */
const NEXT: Record<string, string[]> = {
  [PAGES.auth]: [PAGES.dashboard, PAGES.verifyEmail],
  [PAGES.verifyEmail]: [PAGES.dashboard],
  [PAGES.dashboard]: [PAGES.upload, PAGES.transfer],
  [PAGES.upload]: [PAGES.dashboard],
  [PAGES.transfer]: [PAGES.dashboard],
};

/** The page for unknown addresses is not worth it. */
const PREFETCHED = ROUTES.filter(({ path }) => path !== '*');

/** Loads the code of pages before they are opened: those behind a link that is hovered or focused. */
export function prefetchLinkedPages(): () => void {
  const follow = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link?.origin === window.location.origin) prefetchPage(link.pathname);
  };
  document.addEventListener('pointerover', follow, { passive: true });
  document.addEventListener('focusin', follow);
  return () => {
    document.removeEventListener('pointerover', follow);
    document.removeEventListener('focusin', follow);
  };
}

/** Loads the pages that usually come next, when the browser is idle. */
export async function prefetchNextPages(pathname: string): Promise<void> {
  const current = PREFETCHED.find(({ path }) => matchPage(path, pathname));
  const next = NEXT[current?.path ?? ''] ?? [];
  if (next.length === 0) return;
  await whenIdle();
  for (const path of next) prefetchPage(path);
}

function prefetchPage(pathname: string): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return;
  // If it fails, opening the page tries again and reports it.
  PREFETCHED.find(({ path }) => matchPage(path, pathname))
    ?.Page.preload?.()
    .catch(() => undefined);
}
