import assert from 'node:assert/strict';
import test from 'node:test';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { insertAddresses, oldAddress } from './addresses.ts';

async function startWithAddress(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t);
  const { context } = server;
  const files = [{ path: 'a.txt', bytes: 'a' }];
  const transfer = await createReadyTransfer(context, { userId: server.userId('paula'), files });
  const addresses = [
    oldAddress.share('my trip'),
    oldAddress.download('abc'),
    oldAddress.hotlink('pic.png'),
    oldAddress.publicFile('7', 'secret'),
  ];
  const insert = (transferId: string) =>
    transaction(context.db, (trx) => insertAddresses(trx, { addresses, transferId }));
  return { server, transfer, insert, addresses };
}

const OLD_PATHS = [
  '/s/my%20trip',
  '/share/my%20trip',
  '/d?id=abc',
  '/d/abc/any-name.txt',
  '/downloadFile?id=abc',
  '/h/pic.png',
  '/hotlink/pic.png',
  '/download.php?id=7&token=secret',
];

test('old addresses redirect to the transfer until it is deleted, and another one cannot take them over', async (t) => {
  const { server, transfer, insert, addresses } = await startWithAddress(t);
  assert.deepEqual((await insert(transfer.id)).sort(), addresses.toSorted());
  const files = [{ path: 'b.txt', bytes: 'b' }];
  const other = await createReadyTransfer(server.context, { userId: server.userId('frida'), files });
  assert.deepEqual(await insert(other.id), []);
  const guest = server.anonymous();
  for (const path of OLD_PATHS)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await guest.fetch(path, { method });
      assert.deepEqual([status, headers.get('location')], [302, `/download/${transfer.token}`], path);
    }
  await server.context.db
    .updateTable('transfers')
    .set({ status: 'deleting' })
    .where('id', '=', transfer.id)
    .execute();
  for (const path of OLD_PATHS) assert.equal((await guest.fetch(path)).status, 404, path);
  await server.context.db.deleteFrom('transfers').where('id', '=', transfer.id).execute();
  assert.equal((await insert(other.id)).length, addresses.length, 'the addresses are free again');
});

test('unknown addresses answer alike and are limited per network address; known ones are not', async (t) => {
  const { server, transfer, insert } = await startWithAddress(t);
  await insert(transfer.id);
  const guest = server.anonymous();
  const answer = await guest.fetch('/s/unknown');
  const bodies = new Set<string>();
  for (const path of [
    '/s/My%20trip',
    '/d?id=',
    '/d?id=a&id=b',
    `/s/${'x'.repeat(90)}`,
    '/download.php?id=7',
  ]) {
    const { status, headers } = await guest.fetch(path);
    assert.deepEqual([status, headers.get('location')], [404, null], path);
    bodies.add(String(headers.get('content-security-policy')));
  }
  assert.equal(answer.status, 404);
  const counters = server.context.db.updateTable('rateCounters').where('key', 'like', 'unknown-token:%');
  const { numUpdatedRows } = await counters.set({ count: 300 }).executeTakeFirstOrThrow();
  assert.equal(Number(numUpdatedRows), 1, 'all of them counted for one address');
  const refused = await guest.fetch('/h/unknown');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await guest.fetch('/s/my%20trip')).status, 302);
});

test('an unknown address writes no warning', async (t) => {
  const server = await startTestServer(t);
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  assert.equal((await server.anonymous().fetch('/s/unknown')).status, 404);
  // Node reports a warning in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});
