import assert from 'node:assert/strict';
import test from 'node:test';
import { createSubscription } from '../../../../contracts/plans/billing.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

test('subscribing is refused with 409 after waiting ten seconds for another call’s turn', async (t) => {
  const { context, clock, userId, signIn } = await startTestServer(t);
  const frida = await signIn('frida');
  await context.db
    .insertInto('billingTurns')
    .values({ userId: userId('frida'), turnId: 'lost', endsAt: clock.now() + 3 * MINUTE_MS })
    .execute();
  await assert.rejects(frida.call(createSubscription, { body: { tier: 'pro' } }), {
    code: 'conflict',
    status: 409,
  });
});
