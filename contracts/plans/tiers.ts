import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { formatCount } from '../values/format.ts';
import { GIB } from '../values/sizes.ts';

export const TIERS = ['free', 'pro', 'premium'] as const;
export const TierName = z.enum(TIERS);
export type TierName = z.infer<typeof TierName>;

/** Whether users of a plan may, must or must not encrypt their transfers end to end. */
export const ENCRYPTION_POLICIES = ['offered', 'required', 'forbidden'] as const;
export type EncryptionPolicy = (typeof ENCRYPTION_POLICIES)[number];

const Encryption = z.enum(ENCRYPTION_POLICIES);

const FreeLimits = z.object({
  storagePerTransfer: z.int().positive().describe('Bytes per transfer.'),
  monthlyTotal: z.int().positive().describe('Bytes per calendar month.'),
  retentionDays: z.int().min(1).max(90),
  encryption: Encryption.describe('Whether users may, must or must not encrypt transfers end to end.'),
});

const PaidLimits = FreeLimits.extend({
  price: z.number().nonnegative().describe('Dollars per month, at most two decimals.'),
});

export const TierConfig = z.object({ free: FreeLimits, pro: PaidLimits, premium: PaidLimits });
const KeptEncryption = { encryption: Encryption.optional().describe('Unchanged by default.') };
export const UpdateTierConfigInput = z
  .strictObject({
    free: FreeLimits.extend(KeptEncryption).strict(),
    pro: PaidLimits.extend(KeptEncryption).strict(),
    premium: PaidLimits.extend(KeptEncryption).strict(),
  })
  .describe('Limits and prices of the plans. Unknown fields are refused.');
export type UpdateTierConfigInput = z.infer<typeof UpdateTierConfigInput>;
export type TierConfig = z.infer<typeof TierConfig>;
export type TierLimits = z.infer<typeof FreeLimits>;

/** Defaults until an administrator changes them. */
export const DEFAULT_TIER_CONFIG: TierConfig = {
  free: { storagePerTransfer: 5 * GIB, monthlyTotal: 10 * GIB, retentionDays: 3, encryption: 'offered' },
  pro: {
    storagePerTransfer: 10 * GIB,
    monthlyTotal: 100 * GIB,
    retentionDays: 30,
    encryption: 'offered',
    price: 9.99,
  },
  premium: {
    storagePerTransfer: 50 * GIB,
    monthlyTotal: 500 * GIB,
    retentionDays: 90,
    encryption: 'offered',
    price: 24.99,
  },
};

/**
 * Limits per account. An upload counts until it is completed or discarded, and as a file from its announcement on; so
 * does an empty file.
 */
export const COUNT_QUOTAS = {
  free: { openUploads: 150_000, drafts: 200, transfers: 2_000, files: 300_000 },
  pro: { openUploads: 200_000, drafts: 500, transfers: 20_000, files: 1_000_000 },
  premium: { openUploads: 300_000, drafts: 1_000, transfers: 100_000, files: 5_000_000 },
} as const satisfies Record<TierName, Record<string, number>>;
export type CountQuotas = Record<keyof (typeof COUNT_QUOTAS)['free'], number>;

/** The lowest plan that includes each feature. */
export const FEATURES = {
  password: { label: 'Password protection', tier: 'pro' },
  maxDownloads: { label: 'A download limit', tier: 'pro' },
  schedule: { label: 'A scheduled transfer', tier: 'pro' },
  previews: { label: 'File preview', tier: 'pro' },
  analytics: { label: 'Transfer analytics', tier: 'pro' },
  apiKeys: { label: 'API access', tier: 'pro' },
  webhooks: { label: 'Webhooks', tier: 'premium' },
  invitations: { label: 'Inviting others to upload', tier: 'premium' },
  prioritySupport: { label: 'Priority support', tier: 'premium' },
  background: { label: 'A custom background', tier: 'premium' },
  notifications: { label: 'Email about downloads and views', tier: 'pro' },
  autoDelete: { label: 'Auto-delete after downloads', tier: 'pro' },
} as const satisfies Record<string, { label: string; tier: TierName }>;
export type Feature = keyof typeof FEATURES;

export const MAX_DOWNLOADS = { pro: 1_000, premium: 1_000_000 } as const;

/** Free has Pro's maximum, for limits that were set before a downgrade. */
export function maxDownloadsOf(tier: TierName): number {
  return MAX_DOWNLOADS[tier === 'premium' ? 'premium' : 'pro'];
}

export function describeTooManyDownloads(tier: TierName): string {
  return `Your plan allows a download limit of at most ${formatCount(maxDownloadsOf(tier))}.`;
}

export function tierIncludes(tier: TierName, feature: Feature): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(FEATURES[feature].tier);
}

export function tierLabel(tier: TierName): string {
  return tier.charAt(0).toUpperCase() + tier.slice(1);
}

export const getTierConfig = defineEndpoint({
  method: 'GET',
  path: '/api/tier-config',
  access: 'public',
  summary: 'Limits and prices of the three plans',
  response: TierConfig,
});
