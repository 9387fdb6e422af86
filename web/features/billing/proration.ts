import type { Subscription } from '../../../contracts/plans/billing.ts';

/**
 * About how many cents the higher plan costs now: the difference for the rest of the running month. Free months
 * were the lower plan's; out of them a month begins, at its full price.
 */
export function estimateProration(
  { status, renewsAt, nextChargeCents }: Pick<Subscription, 'status' | 'renewsAt' | 'nextChargeCents'>,
  newMonthlyCents: number,
  now: number,
): number {
  if (status === 'trialing') return newMonthlyCents;
  if (!renewsAt) return 0;
  const end = new Date(renewsAt);
  const start = new Date(end);
  start.setUTCMonth(start.getUTCMonth() - 1);
  const share = (end.getTime() - now) / (end.getTime() - start.getTime());
  const difference = newMonthlyCents - (nextChargeCents ?? 0);
  return Math.max(0, Math.round(difference * Math.min(1, Math.max(0, share))));
}
