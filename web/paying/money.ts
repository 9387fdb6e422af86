import { t } from '@lingui/core/macro';

export function centsOf(priceDollars: number): number {
  return Math.round(priceDollars * 100);
}

export function formatCard({ brand, last4 }: { brand: string; last4: string }): string {
  const name = brand.charAt(0).toUpperCase() + brand.slice(1);
  return t`${name} ending in ${last4}`;
}
