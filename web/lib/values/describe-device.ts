import { t } from '@lingui/core/macro';

type Device = { name: string; kind: 'computer' | 'phone' | 'program' };

/** The order matters, because most User-Agent headers also name other browsers. */
const BROWSERS: [RegExp, string][] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, t`Samsung Internet`],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.* Safari\//, 'Safari'],
];

const SYSTEMS: [RegExp, string, Device['kind']][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS', 'computer'],
  [/\bLinux\b|\bX11\b/, 'Linux', 'computer'],
];

/** Describes a User-Agent header: 'Firefox on Windows', or less if unknown. */
export function describeDevice(userAgent: string | null): Device {
  const text = userAgent ?? '';
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const [, system, kind = 'program'] = SYSTEMS.find(([pattern]) => pattern.test(text)) ?? [];
  if (browser && system) return { name: t`${browser} on ${system}`, kind };
  if (browser) return { name: browser, kind };
  if (system) return { name: t`A browser on ${system}`, kind };
  return { name: text ? t`Another program` : t`Unknown device`, kind: 'program' };
}
