import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../lib/clock.ts';
import {
  amounts,
  begin,
  GOOD_CARD,
  LATER_DECLINED_CARD,
  look,
  type OpenBench,
  PRO,
  rejectsAs,
  subscribe,
  type Wish,
} from './bench.fixtures.ts';

/** What an attempt may wait for. */
export const WAITING: [what: string, wish: Wish][] = [
  ['a payment', PRO],
  ['a card for free months', { ...PRO, discount: { percent: 0, freeMonths: 1, code: 'ONE' } }],
  ['a card, since nothing is due', { ...PRO, discount: { percent: 100, freeMonths: 0, code: 'ALL' } }],
];

/** Attempts that give way to another. */
export function testAbandoning(openBench: OpenBench): void {
  for (const [what, wish] of WAITING) {
    test(`an attempt that waits for ${what} is put away, and can no longer be confirmed`, async (t) => {
      const bench = await openBench(t);
      const { payments } = bench;
      const begun = await begin(bench, wish);
      const { subscriptionId: id, customerId } = begun;
      assert.equal(await payments.abandon(id), true);
      assert.equal(await payments.abandon(id), true, 'again does no harm');
      assert.equal((await look(bench, id)).status, 'ended');
      await assert.rejects(bench.confirm(begun, GOOD_CARD, customerId));
      assert.equal(await payments.findOpenPayment(id), undefined);
      assert.ok(!(await amounts(bench, customerId)).some((invoice) => /paid|open/.test(invoice)));
    });

    test(`one that waited for ${what} and got it goes on`, async (t) => {
      const bench = await openBench(t);
      const { subscriptionId: id } = await subscribe(bench, wish);
      const before = await look(bench, id);
      assert.equal(await bench.payments.abandon(id), false);
      assert.deepEqual(await look(bench, id), before);
    });

    test(`one that waits for ${what} and gets it while it is put away either goes on or has taken nothing`, async (t) => {
      const bench = await openBench(t);
      for (let round = 0; round < 5; round += 1) {
        const begun = await begin(bench, { ...wish, key: `round ${round}` });
        const [isEnded, isConfirmed] = await Promise.all([
          bench.payments.abandon(begun.subscriptionId),
          bench.confirm(begun, GOOD_CARD, begun.customerId).then(
            () => true,
            () => false,
          ),
        ]);
        assert.equal(isEnded, !isConfirmed);
        assert.equal((await look(bench, begun.subscriptionId)).status === 'ended', isEnded);
      }
    });
  }

  test('what once ran is no attempt any more, and an unknown one is not found', async (t) => {
    const bench = await openBench(t);
    await rejectsAs('payment_not_found', bench.payments.abandon('sub_unknown'));
    const { subscriptionId: id } = await subscribe(bench, PRO, LATER_DECLINED_CARD);
    await bench.pass(32 * DAY_MS);
    assert.equal((await look(bench, id)).status, 'past_due');
    assert.equal(await bench.payments.abandon(id), false);
    assert.equal((await look(bench, id)).status, 'past_due');
  });
}
