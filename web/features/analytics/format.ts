import { t } from '@lingui/core/macro';
import type { Device } from '../../../contracts/analytics.ts';
import { i18n } from '../../lib/language/messages.tsx';

const shares = new Intl.NumberFormat(i18n.locale, { style: 'percent', maximumFractionDigits: 1 });

/** From 0 to 1: '66.7%'. */
export function formatShare(share: number): string {
  return shares.format(share);
}

const DEVICES: Record<Device, string> = {
  desktop: t`Computer`,
  mobile: t`Phone`,
  tablet: t`Tablet`,
  other: t`Other`,
};

export function nameOfDevice(device: Device): string {
  return DEVICES[device];
}

/** 'news.example/today', without scheme and 'www.'. The server groups referers beyond its daily limit as 'other'. */
export function nameOfReferer(referer: string): string {
  if (referer === 'other') return t`Other pages`;
  return referer.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '') || t`Direct or unknown`;
}
