import { t } from '@lingui/core/macro';
import { parseUserAgent } from '../../../contracts/values/user-agents.ts';

type Device = { name: string; kind: ReturnType<typeof parseUserAgent>['kind'] };

const SAMSUNG = 'Samsung Internet';

/** Describes a User-Agent header: 'Firefox on Windows', or less if unknown. */
export function describeDevice(userAgent: string | null): Device {
  const { system, kind, ...parsed } = parseUserAgent(userAgent);
  const browser = parsed.browser === SAMSUNG ? t`Samsung Internet` : parsed.browser;
  if (browser && system) return { name: t`${browser} on ${system}`, kind };
  if (browser) return { name: browser, kind };
  if (system) return { name: t`A browser on ${system}`, kind };
  return { name: userAgent ? t`Another program` : t`Unknown device`, kind: 'program' };
}
