import { t } from '@lingui/core/macro';
import { ANALYTICS_DAYS, ANALYTICS_DEFAULT_DAYS } from '../../../contracts/analytics.ts';
import { TIERS, type TierName } from '../../../contracts/plans/tiers.ts';

export type Range = { days: number; label: string; shortLabel: string };

const RANGES: readonly Range[] = [
  { days: 7, label: t`7 days`, shortLabel: '7 d' },
  { days: 30, label: t`30 days`, shortLabel: '30 d' },
  { days: 90, label: t`90 days`, shortLabel: '90 d' },
  { days: 365, label: t`12 months`, shortLabel: '12 m' },
  { days: 730, label: t`24 months`, shortLabel: '24 m' },
];

/** `tier` is the plan needed for this range; undefined if the user's plan has it. */
export type RangeChoice = Range & { tier?: TierName };

/** All ranges. A range beyond `longestDays` names the lowest plan that includes it. */
export function listRangeChoices(longestDays: number): RangeChoice[] {
  return RANGES.map((range) => (range.days <= longestDays ? range : { ...range, tier: tierFor(range.days) }));
}

function tierFor(days: number): TierName {
  return TIERS.find((tier) => tier !== 'free' && ANALYTICS_DAYS[tier] >= days) ?? 'premium';
}

/** The range in the address, capped at `longestDays`; the default for unknown values. */
export function readDays(params: URLSearchParams, longestDays: number): number {
  const wanted = Number(params.get('days'));
  const days = RANGES.some((range) => range.days === wanted) ? wanted : ANALYTICS_DEFAULT_DAYS;
  return Math.min(days, longestDays);
}

/** The query string without '?'. */
export function writeDays(days: number): string {
  return days === ANALYTICS_DEFAULT_DAYS ? '' : new URLSearchParams({ days: String(days) }).toString();
}

/** '30 days', '12 months' */
export function nameOfRange(days: number): string {
  return RANGES.find((range) => range.days === days)?.label ?? t`${days} days`;
}
