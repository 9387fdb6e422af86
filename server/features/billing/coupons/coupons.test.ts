import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import {
  checkCoupon,
  createSubscription,
  getSubscription,
  listInvoices,
  type PaidTier,
} from '../../../../contracts/plans/billing.ts';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { inviteCrowd } from '../../../../testing/calls/crowd.ts';
import { countUses, createCoupon } from '../../../../testing/payments/coupons.ts';
import { subscribe } from '../../../../testing/payments/demo-payments.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import type { CouponRow } from '../../../platform/db/schema.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { addMonths } from '../../../platform/payments/calculations.ts';
import { TIER_CONFIG_KEY } from '../../tiers/tiers.ts';

function check(client: Client, code: string, tier: PaidTier = 'pro') {
  return client.call(checkCoupon, { body: { code, tier } });
}

const PRICES: [what: string, coupon: Partial<CouponRow>, discountedCents: number, dueCents: number][] = [
  ['half of $9.99 is $5.00: half a cent is rounded up', { discountPercent: 50 }, 500, 500],
  ['a third off', { discountPercent: 33 }, 669, 669],
  ['nothing off', { discountPercent: 0 }, 999, 999],
  ['all off', { discountPercent: 100 }, 0, 0],
  ['free months: nothing today', { discountPercent: 0, freeMonths: 3 }, 999, 0],
  ['free months, and a discount from then on', { discountPercent: 20, freeMonths: 1 }, 799, 0],
  ['premium', { discountPercent: 10, tier: 'premium' }, 2249, 2249],
];

for (const [what, coupon, discountedCents, dueCents] of PRICES) {
  test(`discount and free months of a coupon are applied: ${what}`, async (t) => {
    const { context, clock, signIn } = await startTestServer(t);
    const { tier, discountPercent, freeMonths } = await createCoupon(context, coupon);
    assert.deepEqual(await check(await signIn('frida'), 'half', tier), {
      code: 'HALF',
      tier,
      discountPercent,
      freeMonths,
      priceCents: tier === 'pro' ? 999 : 2499,
      discountedCents,
      dueCents,
      firstChargeAt: toIso(addMonths(clock.now(), freeMonths)),
    });
  });
}

test('a coupon check uses the currently configured price', async (t) => {
  const { context, signIn } = await startTestServer(t);
  await createCoupon(context);
  const value = JSON.stringify({
    ...DEFAULT_TIER_CONFIG,
    pro: { ...DEFAULT_TIER_CONFIG.pro, price: 19.9 },
  });
  await context.db
    .insertInto('settings')
    .values({ id: 'plans', key: TIER_CONFIG_KEY, value, updatedAt: 1 })
    .execute();
  const { priceCents, discountedCents } = await check(await signIn('frida'), 'HALF');
  assert.deepEqual([priceCents, discountedCents], [1990, 995]);
});

test('a coupon code is accepted in any case and with surrounding spaces', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { code: 'HALF-OFF' });
  const frida = await server.signIn('frida');
  for (const typed of ['HALF-OFF', 'half-off', '  Half-Off '])
    assert.equal((await check(frida, typed)).code, 'HALF-OFF');
  await frida.call(createSubscription, { body: { tier: 'pro', couponCode: ' half-off ' } });
  assert.equal((await countUses(server.context, coupon.id)).held, 1);
});

type Refusal = [what: string, coupon: Partial<CouponRow>, status: number, sentence: string];

const REFUSALS: Refusal[] = [
  ['an unknown one', { code: 'OTHER' }, 404, 'This coupon is not valid.'],
  ['of another plan', { tier: 'premium' }, 400, 'This coupon is for the Premium plan.'],
  ['expired', { expiresAt: 1 }, 410, 'This coupon has expired.'],
  ['used up', { maxUses: 3, currentUses: 3 }, 410, 'This coupon has been used up.'],
];

for (const [what, coupon, status, sentence] of REFUSALS) {
  test(`a coupon is refused with its reason by the check and when subscribing: ${what}`, async (t) => {
    const { context, signIn } = await startTestServer(t);
    const { id, currentUses } = await createCoupon(context, coupon);
    const frida = await signIn('frida');
    const expected = { status, message: `${status}: ${sentence}` };
    await assert.rejects(check(frida, 'half'), expected);
    const body = { tier: 'pro', couponCode: 'half' };
    await assert.rejects(frida.call(createSubscription, { body }), expected);
    assert.deepEqual(await countUses(context, id), { currentUses, held: 0, redeemed: 0 });
    assert.equal((await frida.call(getSubscription)).status, 'none');
  });
}

test('a coupon is refused from expiresAt on, and without one it never expires', async (t) => {
  const { context, clock, signIn } = await startTestServer(t);
  await createCoupon(context, { code: 'SOON', expiresAt: clock.now() + HOUR_MS });
  await createCoupon(context, { code: 'NEVER', expiresAt: null });
  const frida = await signIn('frida');
  clock.advance(HOUR_MS - 1);
  await check(frida, 'SOON');
  clock.advance(1);
  await assert.rejects(check(frida, 'SOON'), { code: 'coupon_expired' });
  clock.advance(20 * DAY_MS);
  await check(frida, 'NEVER');
});

test('the user who reserved the last use of a coupon can check it and start again with it', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  const [frida, paula] = (await inviteCrowd(server, 2)).map(({ client }) => client);
  const body = { tier: 'pro', couponCode: 'HALF' };
  const first = await frida!.call(createSubscription, { body });
  assert.equal((await check(frida!, 'HALF')).dueCents, 500);
  assert.deepEqual(await frida!.call(createSubscription, { body }), first);
  await assert.rejects(check(paula!, 'HALF'), { code: 'coupon_used_up' });
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
});

test('a second use of a coupon by the same user is refused', async (t) => {
  const { context, signIn } = await startTestServer(t);
  await createCoupon(context);
  const frida = await signIn('frida');
  const { dueCents } = await subscribe(frida, { tier: 'pro', couponCode: 'HALF' });
  assert.equal(dueCents, 500);
  await assert.rejects(check(frida, 'HALF'), { code: 'coupon_already_used' });
});

test('checking a coupon reserves nothing', async (t) => {
  const { context, signIn } = await startTestServer(t);
  const { id } = await createCoupon(context, { maxUses: 1 });
  const frida = await signIn('frida');
  for (let times = 0; times < 5; times += 1) await check(frida, 'HALF');
  assert.deepEqual(await countUses(context, id), { currentUses: 0, held: 0, redeemed: 0 });
});

test('a discount survives the deletion of its coupon, even before the first payment', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const { id } = await createCoupon(context);
  const [first, second] = await inviteCrowd(server, 2);
  await subscribe(first!.client, { tier: 'pro', couponCode: 'HALF' });
  const body = { tier: 'pro', couponCode: 'HALF' };
  await second!.client.call(createSubscription, { body });
  await context.db.deleteFrom('coupons').where('id', '=', id).execute();
  assert.deepEqual(await context.db.selectFrom('couponRedemptions').selectAll().execute(), []);
  await subscribe(second!.client, { tier: 'pro' });
  const { discountPercent, nextChargeCents } = await first!.client.call(getSubscription);
  assert.deepEqual([discountPercent, nextChargeCents], [50, 500]);
  await assert.rejects(check(first!.client, 'HALF'), { code: 'coupon_not_found' });
  clock.advance(29 * DAY_MS);
  await server.drainJobs();
  clock.advance(3 * DAY_MS);
  await server.drainJobs();
  const invoices = await context.db
    .selectFrom('invoices')
    .select('amountCents')
    .where('userId', '=', first!.userId)
    .execute();
  assert.deepEqual(
    invoices.map(({ amountCents }) => amountCents),
    [500, 500],
  );
});

test('free months charge nothing, and then each month the discounted price', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  await createCoupon(context, { discountPercent: 20, freeMonths: 1 });
  const frida = await server.signIn('frida');
  const firstCharge = addMonths(clock.now(), 1);
  const start = await subscribe(frida, { tier: 'pro', couponCode: 'HALF' });
  assert.deepEqual([start.intent, start.dueCents], ['setup', 0]);
  const { status, tier, freeUntil, nextChargeCents } = await frida.call(getSubscription);
  assert.deepEqual([status, tier, freeUntil], ['trialing', 'pro', toIso(firstCharge)]);
  assert.equal(nextChargeCents, 799);
  assert.deepEqual(await frida.call(listInvoices), []);
  clock.advance(firstCharge - clock.now() - 1);
  await server.drainJobs();
  assert.deepEqual(await (await server.signIn('frida')).call(listInvoices), []);
  clock.advance(HOUR_MS);
  await server.drainJobs();
  const invoices = await (await server.signIn('frida')).call(listInvoices);
  assert.deepEqual(
    invoices.map(({ amountCents, createdAt }) => [amountCents, createdAt]),
    [[799, toIso(firstCharge)]],
  );
});

test('thirty wrong codes per user and hour are allowed; correct ones do not count', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  await createCoupon(context);
  const frida = await server.signIn('frida');
  for (let tries = 0; tries < 29; tries += 1) await guess(frida, tries);
  for (let times = 0; times < 10; times += 1) await check(frida, 'HALF');
  await guess(frida, 29);
  const tooMany = { status: 429, code: 'too_many_requests' };
  await assert.rejects(check(frida, 'HALF'), tooMany);
  const body = { tier: 'pro', couponCode: 'HALF' };
  await assert.rejects(frida.call(createSubscription, { body }), tooMany);
  await check(await server.signIn('paula'), 'HALF');
  clock.advance(HOUR_MS);
  await check(frida, 'HALF');
});

test('guessing by many users behind one address is limited', async (t) => {
  const server = await startTestServer(t);
  await createCoupon(server.context);
  const crowd = await inviteCrowd(server, 5);
  for (const { client } of crowd.slice(0, 4))
    await Promise.all(Array.from({ length: 25 }, (_, number) => guess(client, number)));
  await assert.rejects(check(crowd[4]!.client, 'HALF'), (error: ApiError) => {
    assert.equal(error.code, 'too_many_requests');
    assert.ok(error.retryAfterSeconds! > 0);
    return true;
  });
});

async function guess(client: Client, number: number): Promise<void> {
  await assert.rejects(check(client, `GUESS-${number}`), { code: 'coupon_not_found' });
}

test('a coupon cannot be created twice with one code', async (t) => {
  const { context }: TestServer = await startTestServer(t);
  await createCoupon(context);
  await assert.rejects(createCoupon(context), { code: 'conflict' });
});
