import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { type AppRoute, lazyPage } from './loading/lazy-page.ts';

/** Apart from the other routes, so that people who only download don't load their list. */
export const DOWNLOAD_ROUTE: AppRoute = {
  path: PAGES.download,
  access: 'public',
  Page: lazyPage(() => import('../features/downloads/download-page.tsx'), 'DownloadPage'),
};
