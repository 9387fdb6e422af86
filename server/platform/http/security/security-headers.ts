import { isHttps } from './secure-cookies.ts';

export type SecuritySettings = {
  publicUrl: string;
  /** HSTS covers subdomains, which then all need https. */
  hstsSubdomains: boolean;
};

const YEAR_SECONDS = 31_536_000;

/** For responses that aren't pages: if a browser renders one anyway, nothing in it runs or loads. */
const NOTHING_LOADS = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Fullscreen, the clipboard, sharing and wake locks stay allowed. */
const UNUSED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'serial',
  'usb',
];

/** `payment`: origins whose frames may use the browser's payment forms. */
export function permissionsPolicy({ payment = [] }: { payment?: string[] } = {}): string {
  const origins = payment.map((origin) => JSON.stringify(origin));
  const allowed = origins.length > 0 ? `self ${origins.join(' ')}` : '';
  return [...UNUSED_FEATURES.map((feature) => `${feature}=()`), `payment=(${allowed})`].join(', ');
}

export function securityHeaders({ publicUrl, hstsSubdomains }: SecuritySettings): Record<string, string> {
  return {
    'content-security-policy': NOTHING_LOADS,
    'permissions-policy': permissionsPolicy(),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(isHttps(publicUrl) && {
      'strict-transport-security': `max-age=${YEAR_SECONDS}${hstsSubdomains ? '; includeSubDomains' : ''}`,
    }),
  };
}
