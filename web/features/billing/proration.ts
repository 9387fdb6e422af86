import type { Subscription } from '../../../contracts/plans/billing.ts';

/**
 * Estimates the cents due now for an upgrade: the price difference for the rest of the current month. Free months apply
 * only to the lower plan, so an upgrade during them starts a full-price month.
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
