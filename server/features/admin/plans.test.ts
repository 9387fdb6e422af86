import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import { updateTierConfig } from '../../../contracts/admin/plans.ts';
import { getSubscription } from '../../../contracts/plans/billing.ts';
import { DEFAULT_TIER_CONFIG, getTierConfig, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { GIB, KIB } from '../../../contracts/values/sizes.ts';
import { listSubscriptions, passDays, subscribe } from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { announceFile, makeBytes } from '../../../testing/uploads/upload-files.ts';

const { free, pro, premium } = DEFAULT_TIER_CONFIG;

test('§7 Changed limits and prices are what everybody is told, from the next request on', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const body: TierConfig = {
    free: { storagePerTransfer: KIB, monthlyTotal: 2 * KIB, retentionDays: 1 },
    pro: { ...pro, price: 12.5 },
    premium: { ...premium, retentionDays: 60, price: 0.07 },
  };
  const frida = await server.signIn('frida');
  await announceFile(frida, 'a.bin', makeBytes(KIB + 1));
  assert.deepEqual(await ada.call(updateTierConfig, { body }), body);
  assert.deepEqual(await server.anonymous().call(getTierConfig), body);
  await assert.rejects(announceFile(frida, 'b.bin', makeBytes(KIB + 1)), {
    code: 'transfer_limit_exceeded',
  });
  await ada.call(updateTierConfig, { body: DEFAULT_TIER_CONFIG });
  assert.deepEqual(await server.anonymous().call(getTierConfig), DEFAULT_TIER_CONFIG);
});

test('A changed price holds for new subscriptions; who has one pays what was agreed', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'pro' });
  await ada.call(updateTierConfig, { body: { ...DEFAULT_TIER_CONFIG, pro: { ...pro, price: 20 } } });
  await passDays(server, 32);
  assert.equal((await listSubscriptions(server, 'frida'))[0]!.priceCents, 999);
  assert.equal((await frida.call(getSubscription)).tier, 'pro');
  await server.context.db
    .updateTable('users')
    .set({ tier: 'free' })
    .where('id', '=', server.userId('paula'))
    .execute();
  await subscribe(await server.signIn('paula'), { tier: 'pro' });
  assert.equal((await listSubscriptions(server, 'paula'))[0]!.priceCents, 2_000);
});

test('§5 Limits and prices that no plan can have are refused at their field, and nothing changes', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const wrong: [object, string][] = [
    [{ free: { ...free, storagePerTransfer: 0 } }, 'free.storagePerTransfer'],
    [{ free: { ...free, monthlyTotal: -1 } }, 'free.monthlyTotal'],
    [{ free: { ...free, monthlyTotal: 1.5 } }, 'free.monthlyTotal'],
    [{ free: { ...free, monthlyTotal: '10GB' } }, 'free.monthlyTotal'],
    [{ pro: { ...pro, storagePerTransfer: 1_024 * 1_024 * GIB + 1 } }, 'pro.storagePerTransfer'],
    [{ pro: { ...pro, retentionDays: 91 } }, 'pro.retentionDays'],
    [{ pro: { ...pro, retentionDays: 0 } }, 'pro.retentionDays'],
    [{ pro: { ...pro, price: -1 } }, 'pro.price'],
    [{ pro: { ...pro, price: 9.995 } }, 'pro.price'],
    [{ premium: { ...premium, price: 1_000_000 } }, 'premium.price'],
    [{ premium: { ...premium, price: undefined } }, 'premium.price'],
    [{ premium: undefined }, 'premium'],
  ];
  for (const [change, field] of wrong)
    await assert.rejects(
      ada.call(updateTierConfig, { body: { ...DEFAULT_TIER_CONFIG, ...change } }),
      (error: ApiError) => {
        assert.equal(error.status, 400, JSON.stringify(change));
        assert.ok(error.problem.errors![field], JSON.stringify([change, error.problem.errors]));
        return true;
      },
    );
  assert.deepEqual(await server.anonymous().call(getTierConfig), DEFAULT_TIER_CONFIG);
});
