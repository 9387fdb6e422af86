import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import {
  cancelSubscription,
  createSubscription,
  getSubscription,
} from '../../../../contracts/plans/billing.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { inviteCrowd } from '../../../../testing/calls/crowd.ts';
import { SeededRandom } from '../../../../testing/lib/seeded-random.ts';
import { countUses, createCoupon } from '../../../../testing/payments/coupons.ts';
import { payDemo, subscribe } from '../../../../testing/payments/demo-payments.ts';
import { listSubscriptions, payAtProvider } from '../../../../testing/payments/subscriptions.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { syncSubscription } from '../sync/sync.ts';
import {
  deleteStaleReservation,
  linkReservation,
  listStaleReservations,
  redeemReservation,
} from './coupon-queries.ts';
import { releaseReservation, releaseStaleReservations, reserveCoupon } from './coupons.ts';

const WISH = { tier: 'pro', couponCode: 'half' } as const;

/** Starts a subscription and returns the client secret or the code of the refusal. */
async function begin(client: Client): Promise<{ clientSecret?: string; refusal?: string }> {
  try {
    const { clientSecret } = await client.call(createSubscription, { body: WISH });
    return { clientSecret };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.code };
    throw error;
  }
}

test('of fifty users who start in parallel with a coupon of 5 uses, five get and redeem it', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 5 });
  const crowd = await inviteCrowd(server, 50);
  const begun = await Promise.all(crowd.map(({ client }) => begin(client)));
  const refusals = begun.flatMap(({ refusal }) => refusal ?? []);
  assert.deepEqual(refusals, Array(45).fill('coupon_used_up'));
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 5, held: 5, redeemed: 0 });
  const paying = crowd.flatMap(({ client }, index) =>
    begun[index]!.clientSecret === undefined ? [] : [payDemo(client, begun[index]!.clientSecret)],
  );
  await Promise.all(paying);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 5, held: 0, redeemed: 5 });
  const again = await Promise.all(crowd.slice(0, 10).map(({ client }) => begin(client)));
  assert.ok(again.every(({ refusal }) => refusal === 'coupon_used_up' || refusal === 'already_subscribed'));
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 5, held: 0, redeemed: 5 });
});

test('an unlimited coupon accepts every use and counts it', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context);
  const crowd = await inviteCrowd(server, 30);
  await Promise.all(crowd.map(({ client }) => subscribe(client, WISH)));
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 30, held: 0, redeemed: 30 });
});

test('twenty parallel calls of one user reserve one use of a coupon for one attempt', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 20 });
  const frida = await server.signIn('frida');
  const begun = await Promise.all(Array.from({ length: 20 }, () => begin(frida)));
  assert.deepEqual(new Set(begun.map(({ clientSecret }) => clientSecret)).size, 1, JSON.stringify(begun));
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
  await payDemo(frida, begun[0]!.clientSecret!);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('a released use can be reserved by another user, and only once', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  const [first, ...others] = await inviteCrowd(server, 10);
  await begin(first!.client);
  // An attempt without the coupon replaces the first one.
  await first!.client.call(createSubscription, { body: { tier: 'pro' } });
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
  const begun = await Promise.all(others.map(({ client }) => begin(client)));
  assert.equal(begun.filter(({ clientSecret }) => clientSecret !== undefined).length, 1);
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
});

test('an unpaid attempt releases its use within a day', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 1 });
  const [frida, paula] = [await server.signIn('frida'), (await inviteCrowd(server, 1))[0]!.client];
  await begin(frida);
  assert.equal((await begin(paula)).refusal, 'coupon_used_up');
  for (let hour = 0; hour < 25; hour += 1) {
    server.clock.advance(DAY_MS / 24);
    await server.drainJobs();
  }
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
  assert.ok((await begin(paula)).clientSecret);
});

for (const freeMonths of [0, 1]) {
  test(`a use is redeemed even if the plan ended before its first sync (${freeMonths} free months)`, async (t) => {
    const server = await startTestServer(t);
    const coupon = await createCoupon(server.context, { maxUses: 1, freeMonths });
    const frida = await server.signIn('frida');
    await begin(frida);
    const [row] = await listSubscriptions(server, 'frida');
    await payAtProvider(server, row!.providerSubscriptionId);
    await server.context.payments.end(row!.providerSubscriptionId);
    await syncSubscription(server.context, row!.providerSubscriptionId);
    assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
    assert.equal((await frida.call(getSubscription)).status, 'ended');
    assert.equal((await begin(frida)).refusal, 'coupon_already_used');
  });
}

test('a redeemed use is not released when the plan ends, and its user cannot use the coupon again', async (t) => {
  const server = await startTestServer(t);
  const coupon = await createCoupon(server.context, { maxUses: 2 });
  const frida = await server.signIn('frida');
  await subscribe(frida, WISH);
  await frida.call(cancelSubscription);
  server.clock.advance(40 * DAY_MS);
  await server.drainJobs();
  const later = await server.signIn('frida');
  assert.equal((await later.call(getSubscription)).tier, 'free');
  assert.equal((await begin(later)).refusal, 'coupon_already_used');
  assert.deepEqual(await countUses(server.context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('a redeemed use cannot be released, and a released use cannot be redeemed', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const coupon = await createCoupon(context, { maxUses: 5 });
  for (const name of ['frida', 'paula'] as const) await reserve(server, server.userId(name), `sub_${name}`);
  await transaction(context.db, async (trx) => {
    for (const settle of [redeemReservation, releaseReservation]) await settle(trx, 'sub_frida');
    for (const settle of [releaseReservation, redeemReservation]) await settle(trx, 'sub_paula');
  });
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 1, held: 0, redeemed: 1 });
});

test('releasing one use twenty times in parallel releases it once and no other user’s', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const coupon = await createCoupon(context, { maxUses: 5 });
  for (const name of ['frida', 'paula'] as const) await reserve(server, server.userId(name), `sub_${name}`);
  const release = () => transaction(context.db, (trx) => releaseReservation(trx, 'sub_frida'));
  await Promise.all(Array.from({ length: 20 }, release));
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
  await context.db.updateTable('coupons').set({ currentUses: 0 }).execute();
  await transaction(context.db, (trx) => releaseReservation(trx, 'sub_paula'));
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 0, held: 0, redeemed: 0 });
});

test('with parallel reservations, redemptions and releases the count matches the uses and stays within the limit', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const coupon = await createCoupon(context, { maxUses: 4 });
  const crowd = await inviteCrowd(server, 12);
  const random = new SeededRandom(7);
  for (let round = 0; round < 8; round += 1) {
    const doings = crowd.map(async ({ userId }) => {
      const id = `sub_${userId}_${round}`;
      const choice = random.between(1, 100);
      try {
        await reserve(server, userId, id);
      } catch (error) {
        if (isAppError(error, 'coupon_used_up') || isAppError(error, 'coupon_already_used')) return;
        throw error;
      }
      const settle = choice <= 5 ? redeemReservation : releaseReservation;
      if (choice <= 80)
        await Promise.all([1, 2].map(() => transaction(context.db, (trx) => settle(trx, id))));
    });
    await Promise.all(doings);
    const { currentUses, held, redeemed } = await countUses(context, coupon.id);
    assert.equal(currentUses, held + redeemed);
    assert.ok(currentUses <= 4);
  }
});

test('reservations of attempts that never started are released after a day; younger and running ones stay', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const coupon = await createCoupon(context);
  const [untied, unknown, running] = await inviteCrowd(server, 3);
  await reserve(server, untied!.userId);
  await reserve(server, unknown!.userId, 'sub_nobody_noted');
  await subscribe(running!.client, WISH);
  clock.advance(DAY_MS + 1);
  await reserve(server, server.userId('frida'));
  const counts = await Promise.all([releaseStaleReservations(context), releaseStaleReservations(context)]);
  assert.ok(counts.includes(2), String(counts));
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 2, held: 1, redeemed: 1 });
});

test('a stale reservation that is renewed at that moment stays', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const coupon = await createCoupon(context);
  await reserve(server, server.userId('frida'));
  clock.advance(2 * DAY_MS);
  const [stale] = await listStaleReservations(context.db, clock.now() - DAY_MS, 10);
  await reserve(server, server.userId('frida'));
  const deleted = await transaction(context.db, (trx) =>
    deleteStaleReservation(trx, stale!, clock.now() - DAY_MS),
  );
  assert.equal(deleted, undefined);
  assert.deepEqual(await countUses(context, coupon.id), { currentUses: 1, held: 1, redeemed: 0 });
});

async function reserve(
  { context }: TestServer,
  userId: string,
  providerSubscriptionId?: string,
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const { couponId } = await reserveCoupon(trx, context, { code: 'HALF', tier: 'pro', userId });
    if (providerSubscriptionId !== undefined)
      await linkReservation(trx, { couponId, userId, providerSubscriptionId });
  });
}
