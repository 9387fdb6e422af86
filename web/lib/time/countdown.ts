import { plural } from '@lingui/core/macro';

const SECOND = 1000;

/** '2 days 03:04:05', '03:04:05'; whole seconds, rounded up so that zero is shown only when it is over. */
export function formatCountdown(leftMs: number): { days: string; clock: string } {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND));
  const days = Math.floor(seconds / 86_400);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return { days: days === 0 ? '' : plural(days, { one: '# day', other: '# days' }), clock };
}

/** Seconds as minutes and seconds: '0:42', '12:05'. */
export function formatMinutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
