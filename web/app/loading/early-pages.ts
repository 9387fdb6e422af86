import { getCurrentUser, getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { listSignInProviders } from '../../../contracts/accounts/sign-in/single-sign-on.ts';
import { addressOf, type Endpoint } from '../../../contracts/endpoint.ts';
import { getTierConfig } from '../../../contracts/plans/tiers.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import { ID_PATTERN } from '../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { FIRST_FILES } from '../../api/first-files.ts';

export type Place = { params: Record<string, string>; search: URLSearchParams; referrer: string | undefined };

export type EarlyPage = {
  path: string;
  /** The modules that the page loads besides the app, relative to web/. */
  modules: string[];
  /** The addresses of its first calls, exactly as it calls them. */
  listCalls: (place: Place) => string[];
};

const ALL_PAGES = 'app/all-pages.tsx';
const FRAME = 'app/frames/signed-in-frame.tsx';

/** Pages whose code and data are requested by the head of the document, before the app runs. */
export const EARLY_PAGES: EarlyPage[] = [
  page(PAGES.download, ['features/downloads/download-page.tsx'], ({ params, search, referrer }) => {
    const recipient = search.get('r') ?? '';
    const query = {
      ...(ID_PATTERN.test(recipient) && { r: recipient }),
      from: referrer,
      firstFiles: FIRST_FILES,
    };
    return [addressOf(viewDownload.path, params, query)];
  }),
  page(PAGES.visitorUpload, [ALL_PAGES, 'features/visitor-upload/visitor-upload-page.tsx']),
  page(PAGES.auth, [ALL_PAGES, 'features/accounts/auth-page.tsx'], () => [
    getCurrentUser.path,
    listSignInProviders.path,
  ]),
  page(PAGES.signInLink, [ALL_PAGES, 'features/accounts/sign-in/sign-in-link-page.tsx']),
  page(PAGES.verifyEmail, [ALL_PAGES, 'features/accounts/sign-up/verify-email-page.tsx']),
  page(PAGES.pricing, [ALL_PAGES, 'app/frames/pricing-frame.tsx'], () => [
    getCurrentUser.path,
    getTierConfig.path,
  ]),
  dashboard(PAGES.dashboard, 'transfers/list/my-transfers', ({ search }) =>
    search.size > 0 ? [] : [addressOf(listTransfers.path, {}, { limit: 50, origin: 'sent' })],
  ),
  dashboard(PAGES.upload, 'uploads/upload', () => [getTierConfig.path, getMonthlyUsage.path]),
  dashboard(PAGES.transfer, 'transfers/detail/transfer-detail', ({ params }) => [
    addressOf(getTransfer.path, params, { firstFiles: FIRST_FILES }),
  ]),
  dashboard(PAGES.settings, 'settings/settings'),
  dashboard(PAGES.invitations, 'invitations/invitations'),
  dashboard(PAGES.analytics, 'analytics/analytics'),
];

function page(path: string, modules: string[], listCalls: EarlyPage['listCalls'] = () => []): EarlyPage {
  return { path, modules, listCalls };
}

function dashboard(path: string, name: string, listCalls: EarlyPage['listCalls'] = () => []): EarlyPage {
  const modules = [ALL_PAGES, FRAME, `features/${name}-page.tsx`];
  return page(path, modules, (place) => [(getCurrentUser as Endpoint).path, ...listCalls(place)]);
}
