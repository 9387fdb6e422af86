import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { i18n } from '../language/messages.tsx';
import { wakeAt } from './shared-timer.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From coarse to fine, each with its threshold. Expiries of up to 90 days are shown in days. */
const STEPS = [
  { unit: 'year', length: 365 * DAY, from: 365 * DAY },
  { unit: 'month', length: 30 * DAY, from: 100 * DAY },
  { unit: 'day', length: DAY, from: DAY },
  { unit: 'hour', length: HOUR, from: HOUR },
  { unit: 'minute', length: MINUTE, from: MINUTE },
] as const;

const words = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'always' });

/** 'in 3 days', '5 minutes ago', 'just now'; instants in epoch milliseconds. Rounds to the nearest unit. */
export function formatRelativeTime(instant: number, now: number): string {
  const distance = instant - now;
  const step = STEPS.find(({ from }) => Math.abs(distance) >= from);
  if (!step) return distance > 0 ? t`in less than a minute` : t`just now`;
  return words.format(Math.round(distance / step.length), step.unit);
}

/** Milliseconds until the text may change. */
export function relativeTimePause(instant: number, now: number): number {
  const distance = Math.abs(instant - now);
  if (distance < 2 * MINUTE) return SECOND;
  return distance < 2 * DAY ? MINUTE / 2 : HOUR;
}

/** The relative time of an instant (epoch milliseconds or ISO text), updated while the page is open. */
export function useRelativeTime(instant: number | string): string {
  const target = typeof instant === 'number' ? instant : Date.parse(instant);
  const [now, setNow] = useState(Date.now);
  useEffect(() => wakeAt(now + relativeTimePause(target, now), () => setNow(Date.now())), [target, now]);
  return formatRelativeTime(target, now);
}

/** Values of date and time fields: local `YYYY-MM-DD` and `HH:MM`. */
type LocalDateTime = { date: string; time: string };

/** The instant as ISO text; undefined without a date or if the fields are invalid. */
export function toInstant(date: string, time: string): string | undefined {
  const instant = new Date(`${date}T${time}`);
  return date && !Number.isNaN(instant.getTime()) ? instant.toISOString() : undefined;
}

/** An instant (ISO text or epoch milliseconds) for date and time fields; both empty for null. */
export function toLocalDateTime(instant: string | number | null): LocalDateTime {
  if (instant === null) return { date: '', time: '' };
  const at = new Date(instant);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString();
  return { date: local.slice(0, 10), time: local.slice(11, 16) };
}
