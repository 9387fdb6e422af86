import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WAITING } from '../suite/abandon.suite.ts';
import { amounts, begin, GOOD_CARD, look, rejectsAs } from '../suite/bench.fixtures.ts';
import { openStripeBench } from './bench.fixtures.ts';

for (const [what, wish] of WAITING) {
  test(`a customer who confirms ${what} between any two steps of putting it away wins, or is refused`, async (t) => {
    const outcomes = new Set<boolean>();
    let steps = Number.POSITIVE_INFINITY;
    for (let step = 0; step < steps; step += 1) {
      const bench = await openStripeBench(t);
      const { fake, payments } = bench;
      const begun = await begin(bench, wish);
      let asked = 0;
      let isConfirmed = false;
      fake.beforeRequest = () => {
        if (asked === step) isConfirmed = tryToConfirm(() => fake.confirm(begun.clientSecret, GOOD_CARD));
        asked += 1;
      };
      const isEnded = await payments.abandon(begun.subscriptionId);
      fake.beforeRequest = undefined;
      assert.equal(isEnded, !isConfirmed, `step ${step}`);
      assert.equal((await look(bench, begun.subscriptionId)).status === 'ended', isEnded, `step ${step}`);
      const isPaid = (await amounts(bench, begun.customerId)).some((invoice) => invoice.startsWith('paid'));
      assert.ok(!(isPaid && isEnded));
      outcomes.add(isConfirmed);
      if (isEnded) steps = asked;
    }
    assert.deepEqual(outcomes, new Set([true, false]));
  });

  test(`putting away what waits for ${what} is done once, whichever answer is lost or crash comes between`, async (t) => {
    for (const lost of [/void$|setup_intents/, /subscriptions/]) {
      const bench = await openStripeBench(t);
      const { subscriptionId } = await begin(bench, wish);
      bench.fake.loseAnswerTo = ({ method, path }) => method !== 'GET' && lost.test(path);
      assert.equal(await bench.payments.abandon(subscriptionId), true);
      assert.equal(bench.fake.loseAnswerTo, undefined);
    }
    const bench = await openStripeBench(t);
    const { subscriptionId } = await begin(bench, wish);
    bench.fake.beforeRequest = ({ method }) => {
      if (method === 'DELETE') bench.fake.state = 'failing';
    };
    await rejectsAs('payments_unavailable', bench.payments.abandon(subscriptionId));
    bench.fake.beforeRequest = undefined;
    bench.fake.state = 'well';
    assert.equal((await look(bench, subscriptionId)).status, 'incomplete');
    assert.equal(await bench.payments.abandon(subscriptionId), true);
    assert.equal((await look(bench, subscriptionId)).status, 'ended');
  });
}

function tryToConfirm(confirm: () => void): boolean {
  try {
    confirm();
    return true;
  } catch {
    return false;
  }
}
