import type { Device } from '../../../contracts/analytics.ts';

const PROGRAM = /bot\b|crawl|spider|preview|curl|wget|python|okhttp|headless|^java\/|^go-http/i;
const TABLET = /ipad|tablet|playbook|silk\/|kindle|android(?!.*mobile)/i;
const PHONE = /mobi|iphone|ipod|windows phone/i;
const COMPUTER = /windows nt|macintosh|x11|cros|linux (?:x86_64|i686|aarch64)/i;

/**
 * What a user agent says it is; an iPad that asks for desktop pages is a desktop. Programs and what says
 * nothing are 'other'.
 */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent || PROGRAM.test(userAgent)) return 'other';
  if (TABLET.test(userAgent)) return 'tablet';
  if (PHONE.test(userAgent)) return 'mobile';
  return COMPUTER.test(userAgent) ? 'desktop' : 'other';
}
