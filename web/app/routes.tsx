import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { DOWNLOAD_ROUTE } from './download-route.ts';
import { withSession } from './frames/session-frame.tsx';
import { type AppRoute, lazyPage, type PageModule } from './loading/lazy-page.ts';

/** A public page that uses queries. Those of signed-in users have them from their frame. */
function lazySessionPage<Name extends string>(load: PageModule<Name>, name: Name) {
  return lazyPage(async () => ({ Page: withSession((await load())[name]) }), 'Page');
}

/** The messages of the admin area come with its pages. */
function lazyAdminPage<Name extends string>(load: PageModule<Name>, name: Name) {
  return lazyPage(async () => {
    const { addAdminMessages } = await import('../lib/language/admin-messages.ts');
    await addAdminMessages();
    return load();
  }, name);
}

const AuthPage = lazySessionPage(() => import('../features/accounts/auth-page.tsx'), 'AuthPage');
const VerifyEmailPage = lazySessionPage(
  () => import('../features/accounts/sign-up/verify-email-page.tsx'),
  'VerifyEmailPage',
);
const ResetPasswordPage = lazySessionPage(
  () => import('../features/accounts/recovery/reset-password-page.tsx'),
  'ResetPasswordPage',
);
const SignInLinkPage = lazySessionPage(
  () => import('../features/accounts/sign-in/sign-in-link-page.tsx'),
  'SignInLinkPage',
);
const UndoEmailChangePage = lazySessionPage(
  () => import('../features/accounts/recovery/undo-email-change-page.tsx'),
  'UndoEmailChangePage',
);
const SecureAccountPage = lazySessionPage(
  () => import('../features/accounts/recovery/secure-account-page.tsx'),
  'SecureAccountPage',
);
const UnsubscribePage = lazySessionPage(
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
const SecretTextPage = lazyPage(
  () => import('../features/uploads/secret-text/secret-text-page.tsx'),
  'SecretTextPage',
);
const InvitationsPage = lazyPage(
  () => import('../features/invitations/invitations-page.tsx'),
  'InvitationsPage',
);
const VisitorUploadPage = lazySessionPage(
  () => import('../features/visitor-upload/visitor-upload-page.tsx'),
  'VisitorUploadPage',
);
const PricingPage = lazySessionPage(() => import('./frames/pricing-frame.tsx'), 'PricingFrame');
const SettingsPage = lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage');
const PickupPage = lazySessionPage(() => import('../features/pickup/pickup-page.tsx'), 'PickupPage');
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
const UnknownPage = lazySessionPage(() => import('./unknown-page.tsx'), 'UnknownPage');

const LeaveApplication = lazyPage(() => import('./leave-application.tsx'), 'LeaveApplication');

/** One page, which shows the part that belongs to the address. */
const SETTINGS_PATHS = Object.values(PAGES).filter((path) => path.startsWith(PAGES.settings));

/** Each page is a separate chunk. */
export const ROUTES: AppRoute[] = [
  { path: PAGES.landing, access: 'public', Page: LeaveApplication },
  { path: PAGES.terms, access: 'public', Page: LeaveApplication },
  { path: PAGES.privacy, access: 'public', Page: LeaveApplication },
  { path: PAGES.pricing, access: 'public', Page: PricingPage },
  { path: PAGES.auth, access: 'public', Page: AuthPage },
  { path: PAGES.verifyEmail, access: 'public', Page: VerifyEmailPage },
  { path: PAGES.signInLink, access: 'public', Page: SignInLinkPage },
  { path: PAGES.resetPassword, access: 'public', Page: ResetPasswordPage },
  { path: PAGES.undoEmailChange, access: 'public', Page: UndoEmailChangePage },
  { path: PAGES.secureAccount, access: 'public', Page: SecureAccountPage },
  { path: PAGES.unsubscribe, access: 'public', Page: UnsubscribePage },
  { path: PAGES.pickup, access: 'public', Page: PickupPage },
  { path: PAGES.dashboard, access: 'signed-in', Page: MyTransfersPage },
  { path: PAGES.upload, access: 'signed-in', Page: UploadPage },
  { path: PAGES.secretText, access: 'signed-in', Page: SecretTextPage },
  { path: PAGES.transfer, access: 'signed-in', Page: TransferDetailPage },
  {
    path: PAGES.transferAnalytics,
    access: 'signed-in',
    Page: TransferAnalyticsPage,
  },
  { path: PAGES.analytics, access: 'signed-in', Page: AnalyticsPage },
  { path: PAGES.invitations, access: 'signed-in', Page: InvitationsPage },
  { path: PAGES.visitorUpload, access: 'public', Page: VisitorUploadPage },
  ...SETTINGS_PATHS.map((path): AppRoute => ({ path, access: 'signed-in', Page: SettingsPage })),
  DOWNLOAD_ROUTE,
  { path: PAGES.admin, access: 'admin', Page: AdminHomePage },
  { path: PAGES.adminDashboard, access: 'admin', Page: AdminDashboardPage },
  { path: PAGES.adminUsers, access: 'admin', Page: AdminUsersPage },
  { path: PAGES.adminRegistration, access: 'admin', Page: AdminRegistrationPage },
  {
    path: PAGES.adminSingleSignOn,
    access: 'admin',
    Page: AdminIdentityProvidersPage,
  },
  { path: PAGES.adminTransfers, access: 'admin', Page: AdminTransfersPage },
  { path: PAGES.adminCoupons, access: 'admin', Page: AdminCouponsPage },
  { path: PAGES.adminAds, access: 'admin', Page: AdminAdsPage },
  { path: PAGES.adminSettings, access: 'admin', Page: AdminSettingsPage },
  { path: PAGES.adminSystem, access: 'admin', Page: AdminSystemPage },
  { path: PAGES.adminAudit, access: 'admin', Page: AdminAuditPage },
  { path: '*', access: 'public', Page: UnknownPage },
];
