import { plural, t } from '@lingui/core/macro';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { i18n } from '../language/messages.ts';
import type { Failure } from '../saving/failures.ts';

const longDateTimes = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'long', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium' });
const distances = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'always' });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatLongDateTime(instant: string): string {
  return longDateTimes.format(Date.parse(instant));
}

export function formatDate(instant: string): string {
  return dates.format(Date.parse(instant));
}

/** 'in 3 days' */
export function formatDistance(instant: string): string {
  const distance = Date.parse(instant) - Date.now();
  if (distance >= DAY_MS) return distances.format(Math.round(distance / DAY_MS), 'day');
  if (distance >= HOUR_MS) return distances.format(Math.round(distance / HOUR_MS), 'hour');
  if (distance >= MINUTE_MS) return distances.format(Math.round(distance / MINUTE_MS), 'minute');
  return t`in less than a minute`;
}

/** '2 days 03:04:05' */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const days = Math.floor(seconds / 86_400);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return days === 0 ? clock : `${plural(days, { one: '# day', other: '# days' })} ${clock}`;
}

/** '12 files · 3.4 GB' */
export function describeFiles(files: readonly { size: number }[]): string {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return `${countFiles(files.length)} · ${formatSize(size)}`;
}

export function countFiles(count: number): string {
  return plural(count, { one: '# file', other: '# files' });
}

/** The server's sentence is in the language of the page. */
export function errorSentence(error: unknown): string {
  return error instanceof ApiError ? errorDetail(error) : t`Sendwell could not be reached.`;
}

export function failureSentence(failure: Failure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.detail;
    case 'changed':
      return t`The transfer has changed since this download began. Reload the page and try again.`;
    case 'damaged':
      return failure.file === undefined
        ? t`The data is damaged or was changed on its way. Nothing of it was saved as complete.`
        : t`“${failure.file}” is damaged or was changed on its way, so it was not saved. Ask the sender to send it again.`;
    case 'unwritable':
      return t`Your browser could not write the file. Check that there is enough room, and try again. (${failure.reason})`;
    case 'busy':
      return t`Another tab is already saving these files.`;
    case 'worker-ended':
      return t`Your browser stopped the download in the background, so the saved file is not complete. Delete it and try again.`;
    case 'stopped-by-browser':
      return t`The download was stopped in your browser.`;
    case 'unexpected':
      return t`Something went wrong: ${failure.reason}`;
  }
}
