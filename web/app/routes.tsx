import { type ComponentType, lazy } from 'react';
import { PAGES } from '../../contracts/values/pages.ts';
import { addAdminMessages } from '../lib/language/admin-messages.ts';
import { LeaveApplication } from './leave-application.tsx';
import type { RouteAccess } from './route-guard.tsx';

export type AppRoute = {
  path: string;
  access: RouteAccess;
  /** `dashboard` puts the page into the sidebar and top bar, `bare` gives it the whole window. */
  frame: 'bare' | 'dashboard';
  Page: ComponentType & { preload?: () => Promise<unknown> };
};

function lazyPage<Name extends string>(load: () => Promise<{ [name in Name]: ComponentType }>, name: Name) {
  return Object.assign(
    lazy(async () => ({ default: (await load())[name] })),
    { preload: load },
  );
}

/** The messages of the admin area come with its pages. */
function lazyAdminPage<Name extends string>(
  load: () => Promise<{ [name in Name]: ComponentType }>,
  name: Name,
) {
  return lazyPage(async () => {
    await addAdminMessages();
    return load();
  }, name);
}

const AuthPage = lazyPage(() => import('../features/accounts/auth-page.tsx'), 'AuthPage');
const VerifyEmailPage = lazyPage(
  () => import('../features/accounts/sign-up/verify-email-page.tsx'),
  'VerifyEmailPage',
);
const ResetPasswordPage = lazyPage(
  () => import('../features/accounts/recovery/reset-password-page.tsx'),
  'ResetPasswordPage',
);
const SignInLinkPage = lazyPage(
  () => import('../features/accounts/sign-in/sign-in-link-page.tsx'),
  'SignInLinkPage',
);
const UndoEmailChangePage = lazyPage(
  () => import('../features/accounts/recovery/undo-email-change-page.tsx'),
  'UndoEmailChangePage',
);
const SecureAccountPage = lazyPage(
  () => import('../features/accounts/recovery/secure-account-page.tsx'),
  'SecureAccountPage',
);
const UnsubscribePage = lazyPage(
  () => import('../features/mail-preferences/unsubscribe-page.tsx'),
  'UnsubscribePage',
);
const MyTransfersPage = lazyPage(
  () => import('../features/transfers/list/my-transfers-page.tsx'),
  'MyTransfersPage',
);
const TransferDetailPage = lazyPage(
  () => import('../features/transfers/detail/transfer-detail-page.tsx'),
  'TransferDetailPage',
);
const AnalyticsPage = lazyPage(() => import('../features/analytics/analytics-page.tsx'), 'AnalyticsPage');
const TransferAnalyticsPage = lazyPage(
  () => import('../features/analytics/transfer-analytics-page.tsx'),
  'TransferAnalyticsPage',
);
const UploadPage = lazyPage(() => import('../features/uploads/upload-page.tsx'), 'UploadPage');
const InvitationsPage = lazyPage(
  () => import('../features/invitations/invitations-page.tsx'),
  'InvitationsPage',
);
const VisitorUploadPage = lazyPage(
  () => import('../features/visitor-upload/visitor-upload-page.tsx'),
  'VisitorUploadPage',
);
const PricingPage = lazyPage(() => import('./frames/pricing-frame.tsx'), 'PricingFrame');
const SettingsPage = lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage');
const DownloadPage = lazyPage(() => import('../features/downloads/download-page.tsx'), 'DownloadPage');
const AdminHomePage = lazyAdminPage(
  () => import('../features/admin/dashboard/dashboard-page.tsx'),
  'AdminHomePage',
);
const AdminDashboardPage = lazyAdminPage(
  () => import('../features/admin/dashboard/dashboard-page.tsx'),
  'AdminDashboardPage',
);
const AdminUsersPage = lazyAdminPage(
  () => import('../features/admin/users/users-page.tsx'),
  'AdminUsersPage',
);
const AdminRegistrationPage = lazyAdminPage(
  () => import('../features/admin/users/registration-page.tsx'),
  'AdminRegistrationPage',
);
const AdminIdentityProvidersPage = lazyAdminPage(
  () => import('../features/admin/identity-providers/identity-providers-page.tsx'),
  'AdminIdentityProvidersPage',
);
const AdminTransfersPage = lazyAdminPage(
  () => import('../features/admin/transfers/transfers-page.tsx'),
  'AdminTransfersPage',
);
const AdminCouponsPage = lazyAdminPage(
  () => import('../features/admin/coupons/coupons-page.tsx'),
  'AdminCouponsPage',
);
const AdminAdsPage = lazyAdminPage(() => import('../features/admin/ads/ads-page.tsx'), 'AdminAdsPage');
const AdminSettingsPage = lazyAdminPage(
  () => import('../features/admin/tiers/tier-settings-page.tsx'),
  'AdminSettingsPage',
);
const AdminSystemPage = lazyAdminPage(
  () => import('../features/admin/system/system-page.tsx'),
  'AdminSystemPage',
);
const AdminAuditPage = lazyAdminPage(
  () => import('../features/admin/audit/audit-page.tsx'),
  'AdminAuditPage',
);
const UnknownPage = lazyPage(() => import('./unknown-page.tsx'), 'UnknownPage');

/** One page, which shows the part that belongs to the address. */
const SETTINGS_PATHS = Object.values(PAGES).filter((path) => path.startsWith(PAGES.settings));

/** Each page is a separate chunk. */
export const ROUTES: AppRoute[] = [
  { path: PAGES.landing, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.terms, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.privacy, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.pricing, access: 'public', frame: 'bare', Page: PricingPage },
  { path: PAGES.auth, access: 'public', frame: 'bare', Page: AuthPage },
  { path: PAGES.verifyEmail, access: 'public', frame: 'bare', Page: VerifyEmailPage },
  { path: PAGES.signInLink, access: 'public', frame: 'bare', Page: SignInLinkPage },
  { path: PAGES.resetPassword, access: 'public', frame: 'bare', Page: ResetPasswordPage },
  { path: PAGES.undoEmailChange, access: 'public', frame: 'bare', Page: UndoEmailChangePage },
  { path: PAGES.secureAccount, access: 'public', frame: 'bare', Page: SecureAccountPage },
  { path: PAGES.unsubscribe, access: 'public', frame: 'bare', Page: UnsubscribePage },
  { path: PAGES.dashboard, access: 'signed-in', frame: 'dashboard', Page: MyTransfersPage },
  { path: PAGES.upload, access: 'signed-in', frame: 'dashboard', Page: UploadPage },
  { path: PAGES.transfer, access: 'signed-in', frame: 'dashboard', Page: TransferDetailPage },
  {
    path: PAGES.transferAnalytics,
    access: 'signed-in',
    frame: 'dashboard',
    Page: TransferAnalyticsPage,
  },
  { path: PAGES.analytics, access: 'signed-in', frame: 'dashboard', Page: AnalyticsPage },
  { path: PAGES.invitations, access: 'signed-in', frame: 'dashboard', Page: InvitationsPage },
  { path: PAGES.visitorUpload, access: 'public', frame: 'bare', Page: VisitorUploadPage },
  ...SETTINGS_PATHS.map(
    (path): AppRoute => ({ path, access: 'signed-in', frame: 'dashboard', Page: SettingsPage }),
  ),
  { path: PAGES.download, access: 'public', frame: 'bare', Page: DownloadPage },
  { path: PAGES.admin, access: 'admin', frame: 'dashboard', Page: AdminHomePage },
  { path: PAGES.adminDashboard, access: 'admin', frame: 'dashboard', Page: AdminDashboardPage },
  { path: PAGES.adminUsers, access: 'admin', frame: 'dashboard', Page: AdminUsersPage },
  { path: PAGES.adminRegistration, access: 'admin', frame: 'dashboard', Page: AdminRegistrationPage },
  {
    path: PAGES.adminSingleSignOn,
    access: 'admin',
    frame: 'dashboard',
    Page: AdminIdentityProvidersPage,
  },
  { path: PAGES.adminTransfers, access: 'admin', frame: 'dashboard', Page: AdminTransfersPage },
  { path: PAGES.adminCoupons, access: 'admin', frame: 'dashboard', Page: AdminCouponsPage },
  { path: PAGES.adminAds, access: 'admin', frame: 'dashboard', Page: AdminAdsPage },
  { path: PAGES.adminSettings, access: 'admin', frame: 'dashboard', Page: AdminSettingsPage },
  { path: PAGES.adminSystem, access: 'admin', frame: 'dashboard', Page: AdminSystemPage },
  { path: PAGES.adminAudit, access: 'admin', frame: 'dashboard', Page: AdminAuditPage },
  { path: '*', access: 'public', frame: 'bare', Page: UnknownPage },
];
