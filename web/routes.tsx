import { type ComponentType, lazy } from 'react';
import { PAGES } from '../contracts/values/pages.ts';
import { LeaveApplication } from './leave-application.tsx';
import type { RouteAccess } from './route-guard.tsx';

export type AppRoute = {
  path: string;
  access: RouteAccess;
  /** `dashboard` puts the page into the sidebar and top bar, `bare` leaves the whole window to it. */
  frame: 'bare' | 'dashboard';
  Page: ComponentType;
};

const AuthPage = lazy(() =>
  import('./features/accounts/auth-page.tsx').then((module) => ({ default: module.AuthPage })),
);
const VerifyEmailPage = lazy(() =>
  import('./features/accounts/verify-email-page.tsx').then((module) => ({ default: module.VerifyEmailPage })),
);
const ResetPasswordPage = lazy(() =>
  import('./features/accounts/reset-password-page.tsx').then((module) => ({
    default: module.ResetPasswordPage,
  })),
);
const UndoEmailChangePage = lazy(() =>
  import('./features/accounts/undo-email-change-page.tsx').then((module) => ({
    default: module.UndoEmailChangePage,
  })),
);
const SecureAccountPage = lazy(() =>
  import('./features/accounts/secure-account-page.tsx').then((module) => ({
    default: module.SecureAccountPage,
  })),
);
const UnsubscribePage = lazy(() =>
  import('./features/mail-preferences/unsubscribe-page.tsx').then((module) => ({
    default: module.UnsubscribePage,
  })),
);
const MyTransfersPage = lazy(() =>
  import('./features/transfers/list/my-transfers-page.tsx').then((module) => ({
    default: module.MyTransfersPage,
  })),
);
const TransferDetailPage = lazy(() =>
  import('./features/transfers/detail/transfer-detail-page.tsx').then((module) => ({
    default: module.TransferDetailPage,
  })),
);
const AnalyticsPage = lazy(() =>
  import('./features/analytics/analytics-page.tsx').then((module) => ({ default: module.AnalyticsPage })),
);
const TransferAnalyticsPage = lazy(() =>
  import('./features/analytics/transfer-analytics-page.tsx').then((module) => ({
    default: module.TransferAnalyticsPage,
  })),
);
const UploadPage = lazy(() =>
  import('./features/uploads/upload-page.tsx').then((module) => ({ default: module.UploadPage })),
);
const InvitationsPage = lazy(() =>
  import('./features/invitations/invitations-page.tsx').then((module) => ({
    default: module.InvitationsPage,
  })),
);
const VisitorUploadPage = lazy(() =>
  import('./features/visitor-upload/visitor-upload-page.tsx').then((module) => ({
    default: module.VisitorUploadPage,
  })),
);
const PricingPage = lazy(() =>
  import('./pricing-frame.tsx').then((module) => ({ default: module.PricingFrame })),
);
const SettingsPage = lazy(() =>
  import('./features/settings/settings-page.tsx').then((module) => ({ default: module.SettingsPage })),
);
const DownloadPage = lazy(() =>
  import('./features/downloads/download-page.tsx').then((module) => ({ default: module.DownloadPage })),
);
const AdminHomePage = lazy(() =>
  import('./features/admin/admin-home.tsx').then((module) => ({ default: module.AdminHomePage })),
);
const AdminDashboardPage = lazy(() =>
  import('./features/admin/dashboard-page.tsx').then((module) => ({ default: module.AdminDashboardPage })),
);
const AdminUsersPage = lazy(() =>
  import('./features/admin/users-page.tsx').then((module) => ({ default: module.AdminUsersPage })),
);
const AdminRegistrationPage = lazy(() =>
  import('./features/admin/registration-page.tsx').then((module) => ({
    default: module.AdminRegistrationPage,
  })),
);
const AdminTransfersPage = lazy(() =>
  import('./features/admin/transfers-page.tsx').then((module) => ({ default: module.AdminTransfersPage })),
);
const AdminCouponsPage = lazy(() =>
  import('./features/admin/coupons-page.tsx').then((module) => ({ default: module.AdminCouponsPage })),
);
const AdminAdsPage = lazy(() =>
  import('./features/admin/ads-page.tsx').then((module) => ({ default: module.AdminAdsPage })),
);
const AdminSettingsPage = lazy(() =>
  import('./features/admin/settings-page.tsx').then((module) => ({ default: module.AdminSettingsPage })),
);
const AdminSystemPage = lazy(() =>
  import('./features/admin/system-page.tsx').then((module) => ({ default: module.AdminSystemPage })),
);
const AdminAuditPage = lazy(() =>
  import('./features/admin/audit-page.tsx').then((module) => ({ default: module.AdminAuditPage })),
);
const UnknownPage = lazy(() =>
  import('./unknown-page.tsx').then((module) => ({ default: module.UnknownPage })),
);

/** Every page is its own download. */
export const ROUTES: AppRoute[] = [
  { path: PAGES.landing, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.terms, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.privacy, access: 'public', frame: 'bare', Page: LeaveApplication },
  { path: PAGES.pricing, access: 'public', frame: 'bare', Page: PricingPage },
  { path: PAGES.auth, access: 'public', frame: 'bare', Page: AuthPage },
  { path: PAGES.verifyEmail, access: 'public', frame: 'bare', Page: VerifyEmailPage },
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
  { path: PAGES.settings, access: 'signed-in', frame: 'dashboard', Page: SettingsPage },
  { path: PAGES.download, access: 'public', frame: 'bare', Page: DownloadPage },
  { path: PAGES.admin, access: 'admin', frame: 'dashboard', Page: AdminHomePage },
  { path: PAGES.adminDashboard, access: 'admin', frame: 'dashboard', Page: AdminDashboardPage },
  { path: PAGES.adminUsers, access: 'admin', frame: 'dashboard', Page: AdminUsersPage },
  { path: PAGES.adminRegistration, access: 'admin', frame: 'dashboard', Page: AdminRegistrationPage },
  { path: PAGES.adminTransfers, access: 'admin', frame: 'dashboard', Page: AdminTransfersPage },
  { path: PAGES.adminCoupons, access: 'admin', frame: 'dashboard', Page: AdminCouponsPage },
  { path: PAGES.adminAds, access: 'admin', frame: 'dashboard', Page: AdminAdsPage },
  { path: PAGES.adminSettings, access: 'admin', frame: 'dashboard', Page: AdminSettingsPage },
  { path: PAGES.adminSystem, access: 'admin', frame: 'dashboard', Page: AdminSystemPage },
  { path: PAGES.adminAudit, access: 'admin', frame: 'dashboard', Page: AdminAuditPage },
  { path: '*', access: 'public', frame: 'bare', Page: UnknownPage },
];
