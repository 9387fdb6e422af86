/** Any other path shows the not-found page. */
export const PAGES = {
  landing: '/',
  pricing: '/pricing',
  terms: '/terms',
  privacy: '/privacy',
  auth: '/auth',
  signInLink: '/auth/link',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
  undoEmailChange: '/undo-email-change',
  secureAccount: '/secure-account',
  unsubscribe: '/unsubscribe/:token',
  dashboard: '/dashboard',
  upload: '/dashboard/upload',
  secretText: '/dashboard/upload/secret',
  transfer: '/dashboard/transfer/:id',
  transferAnalytics: '/dashboard/transfer/:id/analytics',
  analytics: '/dashboard/analytics',
  settings: '/dashboard/settings',
  settingsPlan: '/dashboard/settings/plan',
  settingsSecurity: '/dashboard/settings/security',
  settingsNotifications: '/dashboard/settings/notifications',
  settingsBackground: '/dashboard/settings/background',
  settingsApiKeys: '/dashboard/settings/api-keys',
  settingsWebhooks: '/dashboard/settings/webhooks',
  settingsDevice: '/dashboard/settings/device',
  invitations: '/dashboard/upload-invitations',
  visitorUpload: '/upload/:token',
  download: '/download/:token',
  pickup: '/pickup',
  admin: '/admin',
  adminDashboard: '/admin/dashboard',
  adminUsers: '/admin/users',
  adminRegistration: '/admin/registration',
  adminSingleSignOn: '/admin/single-sign-on',
  adminTransfers: '/admin/transfers',
  adminCoupons: '/admin/coupons',
  adminAds: '/admin/ads',
  adminSettings: '/admin/settings',
  adminSystem: '/admin/system',
  adminAudit: '/admin/audit',
} as const;

/** Shows the registration form at once. */
export const SIGN_UP_PATH = `${PAGES.auth}?mode=sign-up`;

const PATTERNS = /* @__PURE__ */ Object.values(PAGES).map(
  (page) => new RegExp(`^${page.replace(/:\w+/g, '[^/]+').replace(/\/$/, '')}/?$`),
);

/** The server answers 404 for any other path. */
export function isPage(path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(path));
}

/** The only pages that may load the script of the payment provider. */
export function isPaymentPage(path: string): boolean {
  const page = path.replace(/\/$/, '');
  return page === PAGES.pricing || page === PAGES.settingsPlan;
}

/** Opened by a shared link, mostly without an account. */
export function isGuestPage(path: string): boolean {
  return /^\/(download|upload)\//.test(path);
}

export function transferPage(id: string): string {
  return PAGES.transfer.replace(':id', id);
}

export function transferAnalyticsPage(id: string): string {
  return PAGES.transferAnalytics.replace(':id', id);
}

export function addFilesPage(id: string): string {
  return `${PAGES.upload}?to=${id}`;
}

/** Where the installed app receives files from other apps, by a service worker; see `site.webmanifest`. */
export const SHARE_TARGET_PATH = '/share-target';

/** The upload page, which says that files shared with the installed app were lost. */
export const SHARE_FAILED_PAGE = `${PAGES.upload}?share=failed`;

/** Rendered to HTML by the build; all other pages belong to the app. */
export const STATIC_DOCUMENTS: Record<string, string> = {
  [PAGES.landing]: 'landing.html',
  [PAGES.terms]: 'terms.html',
  [PAGES.privacy]: 'privacy.html',
};
