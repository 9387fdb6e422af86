import assert from 'node:assert/strict';
import test from 'node:test';
import { cancelSubscription } from '../../../contracts/plans/billing.ts';
import { verifyDownload, viewDownload } from '../../../contracts/transfers/downloads.ts';
import { getTransfer, updateTransfer } from '../../../contracts/transfers/transfers.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { passDays, subscribe, tierOf } from '../../../testing/payments/subscriptions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { DAY_MS } from '../../platform/lib/clock.ts';

test('a transfer keeps what it was promised after the plan has ended: password, schedule, limit, date', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  await subscribe(frida, { tier: 'premium' });
  await frida.call(cancelSubscription);
  const now = server.clock.now();
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'a.txt', bytes: 'a' }],
    password: 'secret',
    maxDownloads: 3,
    autoDeleteAfterDownloads: true,
    scheduledAvailableAt: now + 40 * DAY_MS,
    expiresAt: now + 80 * DAY_MS,
  });
  await passDays(server, 1);
  const promised = await frida.call(getTransfer, { params: { id } });
  await passDays(server, 29);
  assert.equal(await tierOf(frida), 'free');
  assert.deepEqual(await frida.call(getTransfer, { params: { id } }), promised);
  const rex = server.anonymous();
  const params = { token };
  assert.equal((await rex.call(viewDownload, { params })).isPasswordProtected, true);
  await passDays(server, 11);
  await rex.call(verifyDownload, { params, body: { password: 'secret' } });
  assert.equal((await rex.call(viewDownload, { params })).unlocked, true);
  // What is sent from now on follows the plan of now.
  const plain = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: [{ path: 'b.txt', bytes: 'b' }],
  });
  const change = { params: { id: plain.id }, body: { maxDownloads: 9 } };
  await assert.rejects(frida.call(updateTransfer, change), { code: 'tier_required' });
});
