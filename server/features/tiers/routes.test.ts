import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TIER_CONFIG, getTierConfig, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { limitsOf, getTierConfig as readTierConfig, requireFeature, TIER_CONFIG_KEY } from './tiers.ts';

test('anybody can read the plans, which have default values until they are changed', async (t) => {
  const server = await startTestServer(t);
  assert.deepEqual(await server.anonymous().call(getTierConfig), DEFAULT_TIER_CONFIG);
});

test('a changed plan applies from the next request on', async (t) => {
  const { context, anonymous } = await startTestServer(t);
  const changed: TierConfig = {
    ...DEFAULT_TIER_CONFIG,
    pro: { ...DEFAULT_TIER_CONFIG.pro, retentionDays: 45, price: 12.5 },
  };
  await context.db
    .insertInto('settings')
    .values({ id: 'plans', key: TIER_CONFIG_KEY, value: JSON.stringify(changed), updatedAt: 1 })
    .execute();
  assert.deepEqual(await anonymous().call(getTierConfig), changed);
  assert.equal(limitsOf(await readTierConfig(context), 'pro').retentionDays, 45);
  assert.equal(await readTierConfig(context), await readTierConfig(context), 'parsed once');
  // Changed again within the same millisecond.
  await context.db
    .updateTable('settings')
    .set({ value: JSON.stringify(DEFAULT_TIER_CONFIG) })
    .execute();
  assert.equal((await anonymous().call(getTierConfig)).pro.retentionDays, 30);
});

test('a feature beyond the plan is refused with the name of the plan that includes it', () => {
  assert.throws(() => requireFeature('free', 'password'), {
    code: 'tier_required',
    status: 402,
    message: 'Password protection is part of the Pro plan. Upgrade to use it.',
  });
  requireFeature('pro', 'password');
  requireFeature('premium', 'schedule');
});
