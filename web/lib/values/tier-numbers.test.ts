import assert from 'node:assert/strict';
import { test } from 'vitest';
import { DEFAULT_TIER_CONFIG } from '../../../contracts/plans/tiers.ts';
import { GIB } from '../../../contracts/values/sizes.ts';
import { formatTierNumber } from './tier-numbers.ts';

test('the default configuration gives 50 GB per transfer and 90 days', () => {
  assert.equal(formatTierNumber(DEFAULT_TIER_CONFIG, 'premium.storagePerTransfer'), '50 GB');
  assert.equal(formatTierNumber(DEFAULT_TIER_CONFIG, 'premium.retentionDays'), '90 days');
});

test('formats the numbers of a plan with their units', () => {
  const config = {
    ...DEFAULT_TIER_CONFIG,
    free: { storagePerTransfer: 1.5 * GIB, monthlyTotal: 10 * GIB, retentionDays: 1 },
    pro: { ...DEFAULT_TIER_CONFIG.pro, price: 12 },
  };
  assert.equal(formatTierNumber(config, 'free.storagePerTransfer'), '1.5 GB');
  assert.equal(formatTierNumber(config, 'free.retentionDays'), '1 day');
  assert.equal(formatTierNumber(config, 'free.price'), '$0');
  assert.equal(formatTierNumber(config, 'pro.price'), '$12');
  assert.equal(formatTierNumber(config, 'premium.price'), '$24.99');
});
