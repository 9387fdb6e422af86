import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import { createCoupon, deleteCoupon, listCoupons, updateTierConfig } from '../../../contracts/admin/plans.ts';
import { getSubscription } from '../../../contracts/plans/billing.ts';
import { DEFAULT_TIER_CONFIG, getTierConfig, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { GIB, KIB } from '../../../contracts/values/sizes.ts';
import { listSubscriptions, passDays, subscribe } from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { announceFile, makeBytes } from '../../../testing/uploads/upload-files.ts';
import { toIso } from '../../platform/lib/clock.ts';

const { free, pro, premium } = DEFAULT_TIER_CONFIG;

test('changed limits and prices apply to everybody from the next request on', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const body: TierConfig = {
    free: { storagePerTransfer: KIB, monthlyTotal: 2 * KIB, retentionDays: 1, encryption: 'forbidden' },
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

test('a changed price applies to new subscriptions only', async (t) => {
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

test('invalid limits and prices are refused at their field, and nothing changes', async (t) => {
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

const HALF = { code: 'HALF', discountPercent: 50, tier: 'pro' } as const;

test('a coupon’s code is stored in upper case, and omitted fields mean no discount, no limit and no end', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const plain = await ada.call(createCoupon, {
    body: { code: ' half.off-1 ', tier: 'pro', maxUses: '', expiresAt: null },
  });
  const { id, ...rest } = plain;
  assert.match(id, /^[0-9a-z]{26}$/);
  assert.deepEqual(rest, {
    code: 'HALF.OFF-1',
    discountPercent: 0,
    freeMonths: 0,
    tier: 'pro',
    maxUses: null,
    currentUses: 0,
    usedCount: 0,
    expiresAt: null,
    createdAt: toIso(server.clock.now()),
  });
  server.clock.advance(1);
  const expiresAt = toIso(server.clock.now() + DAY_MS);
  const body = { code: 'B', discountPercent: 100, freeMonths: 3, tier: 'premium', maxUses: 7, expiresAt };
  const full = await ada.call(createCoupon, { body });
  assert.partialDeepStrictEqual(full, body);
  assert.deepEqual(await ada.call(listCoupons), [full, plain]);
});

test('a coupon’s numbers out of bounds are refused, each with its message', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const wrong: [object, string][] = [
    [{ discountPercent: 101 }, 'discountPercent'],
    [{ discountPercent: -1 }, 'discountPercent'],
    [{ discountPercent: 1.5 }, 'discountPercent'],
    [{ freeMonths: -1 }, 'freeMonths'],
    [{ maxUses: 0 }, 'maxUses'],
    [{ tier: 'free' }, 'tier'],
    [{ code: '' }, 'code'],
    [{ code: 'A B' }, 'code'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: toIso(server.clock.now()) }, 'expiresAt'],
  ];
  for (const [change, field] of wrong)
    await assert.rejects(ada.call(createCoupon, { body: { ...HALF, ...change } }), (error: ApiError) => {
      assert.equal(error.status, 400, JSON.stringify(change));
      assert.ok(error.problem.errors![field], JSON.stringify(change));
      return true;
    });
  assert.deepEqual(await ada.call(listCoupons), []);
});

test('of parallel creations of one code in any case one succeeds, and the others report a conflict', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const codes = ['HALF', 'half', 'Half', ' half '];
  const answers = await Promise.allSettled(
    codes.map((code) => ada.call(createCoupon, { body: { ...HALF, code } })),
  );
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  assert.equal(refusals.length, 3);
  for (const { status, code, problem } of refusals as ApiError[]) {
    assert.deepEqual([status, code], [409, 'coupon_exists']);
    assert.deepEqual(problem.errors, { code: 'A coupon with this code already exists.' });
  }
  assert.equal((await ada.call(listCoupons)).length, 1);
});

test('a deleted coupon frees its code, and existing subscriptions keep the discount', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const { id } = await ada.call(createCoupon, { body: HALF });
  await subscribe(frida, { tier: 'pro', couponCode: 'half' });
  assert.deepEqual(
    (await ada.call(listCoupons)).map(({ currentUses, usedCount }) => [currentUses, usedCount]),
    [[1, 1]],
  );
  const before = await frida.call(getSubscription);
  const answers = await Promise.allSettled([1, 2, 3].map(() => ada.call(deleteCoupon, { params: { id } })));
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  assert.deepEqual(refusals, ['coupon_not_found', 'coupon_not_found']);
  assert.deepEqual(await frida.call(getSubscription), before);
  await passDays(server, 32);
  const [row] = await listSubscriptions(server, 'frida');
  assert.deepEqual([row!.status, row!.discountPercent], ['active', 50]);
  await ada.call(createCoupon, { body: HALF });
});
