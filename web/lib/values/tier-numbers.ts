import type { TierConfig, TierName } from '../../../contracts/plans/tiers.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';

type Quantity = 'storagePerTransfer' | 'monthlyTotal' | 'retentionDays' | 'price';

/** For example `premium.retentionDays`. */
export type TierNumberName = `${TierName}.${Quantity}`;

/** '50 GB', '90 days', '$9.99'. A plan without a price is free. */
export function formatTierNumber(config: TierConfig, name: TierNumberName): string {
  const [tier, quantity] = name.split('.') as [TierName, Quantity];
  const limits: Partial<Record<Quantity, number>> = config[tier];
  const value = limits[quantity] ?? 0;
  if (quantity === 'retentionDays') return formatDays(value);
  return quantity === 'price' ? formatPrice(value) : formatSize(value);
}

/** Uses Intl instead of a message, because the static pages load no Lingui. They are prerendered without a document. */
function formatDays(days: number): string {
  const language = globalThis.document?.documentElement.lang || 'en';
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days);
}

function formatPrice(dollars: number): string {
  return `$${Number.isInteger(dollars) ? dollars : dollars.toFixed(2)}`;
}
