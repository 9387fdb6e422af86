import assert from 'node:assert/strict';
import test from 'node:test';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { withBillingLock } from './billing-lock.ts';

test('calls of one user run one after the other; calls of other users run in parallel', async (t) => {
  const { context, userId } = await startTestServer(t);
  const events: string[] = [];
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const first = withBillingLock(context, userId('frida'), async () => {
    events.push('first begins');
    begun.resolve();
    await held.promise;
    events.push('first ends');
  });
  await begun.promise;
  const second = withBillingLock(context, userId('frida'), async () => void events.push('second'));
  await withBillingLock(context, userId('paula'), async () => void events.push('paula'));
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(
    events.filter((event) => event !== 'paula'),
    ['first begins', 'first ends', 'second'],
  );
  assert.ok(events.indexOf('paula') < events.indexOf('first ends'));
});

test('a turn ends when its call fails, and after three minutes if its process died', async (t) => {
  const server = await startTestServer(t);
  const { context, clock, userId } = server;
  await assert.rejects(
    withBillingLock(context, userId('frida'), () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await withBillingLock(context, userId('frida'), async () => 'mine'), 'mine');
  await leaveTurn(server, clock.now());
  assert.equal(await withBillingLock(context, userId('frida'), async () => 'mine'), 'mine');
  // Acquired while the clock was ahead.
  await leaveTurn(server, clock.now() + 60 * MINUTE_MS);
  assert.equal(await withBillingLock(context, userId('frida'), async () => 'mine'), 'mine');
});

test('a call that waits too long for the lock is refused with conflict', async (t) => {
  const server = await startTestServer(t);
  const { context, clock, userId } = server;
  await leaveTurn(server, clock.now() + 3 * MINUTE_MS);
  let hasRun = false;
  const run = async () => {
    hasRun = true;
  };
  await assert.rejects(withBillingLock(context, userId('frida'), run, { maxWaitMs: 200 }), {
    code: 'conflict',
  });
  assert.equal(hasRun, false);
});

async function leaveTurn({ context, userId }: TestServer, endsAt: number): Promise<void> {
  await context.db
    .insertInto('billingTurns')
    .values({ userId: userId('frida'), turnId: 'lost', endsAt })
    .execute();
}
