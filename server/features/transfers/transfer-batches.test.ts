import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../client/api-error.ts';
import {
  deleteTransfers,
  extendTransfers,
  restoreTransfers,
  TRANSFERS_PER_BATCH_MAX,
} from '../../../contracts/transfers/transfer-batches.ts';
import { getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { toIso } from '../../platform/lib/clock.ts';

const UNKNOWN = '0'.repeat(26);

async function create(server: TestServer, name: 'frida' | 'paula', expiresAt?: number): Promise<string> {
  const userId = server.userId(name);
  const transfer = { userId, files: [{ path: 'a.txt', bytes: 'x' }], ...(expiresAt && { expiresAt }) };
  return (await createReadyTransfer(server.context, transfer)).id;
}

const codes = (results: { transferId: string; error: { code: string } | null }[]) =>
  results.map(({ transferId, error }) => [transferId, error?.code ?? null]);

test('each transfer of a batch is deleted and restored by itself; repeated ids count once', async (t) => {
  const server = await startTestServer(t);
  const [first, second] = [await create(server, 'frida'), await create(server, 'frida')];
  const others = await create(server, 'paula');
  const frida = await server.signIn('frida');
  const transferIds = [first, others, UNKNOWN, second, first];
  const deleted = await frida.call(deleteTransfers, { body: { transferIds, undoable: true } });
  assert.deepEqual(codes(deleted.results), [
    [first, null],
    [others, 'transfer_not_found'],
    [UNKNOWN, 'transfer_not_found'],
    [second, null],
  ]);
  assert.equal(deleted.results[1]!.error!.detail, 'This transfer may have expired or been deleted.');
  assert.deepEqual(await frida.call(listTransfers), []);
  const restored = await frida.call(restoreTransfers, { body: { transferIds } });
  assert.deepEqual(codes(restored.results), codes(deleted.results));
  const listed = await frida.call(listTransfers);
  assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set([first, second]));
  await frida.call(deleteTransfers, { body: { transferIds: [first] } });
  const late = await frida.call(restoreTransfers, { body: { transferIds: [first] } });
  assert.deepEqual(codes(late.results), [[first, 'undo_too_late']]);
  assert.equal((await (await server.signIn('paula')).call(listTransfers)).length, 1);
});

test('a batch is extended by the rules of a single change, and reopens what has expired', async (t) => {
  const server = await startTestServer(t);
  const now = server.clock.now();
  const [open, expired] = [await create(server, 'frida'), await create(server, 'frida', now - 1)];
  const others = await create(server, 'paula');
  const frida = await server.signIn('frida');
  const extend = (expirationDays: number, transferIds = [open, expired, others]) =>
    frida.call(extendTransfers, { body: { transferIds, expirationDays } });
  const expiresAt = toIso(now + 2 * DAY_MS);
  assert.deepEqual(
    (await extend(2)).results.map((result) => [result.transferId, result.error?.code, result.expiresAt]),
    [
      [open, undefined, expiresAt],
      [expired, undefined, expiresAt],
      [others, 'transfer_not_found', null],
    ],
  );
  const shown = await frida.call(getTransfer, { params: { id: expired } });
  assert.deepEqual([shown.expiresAt, shown.isExpired], [expiresAt, false]);
  // The days are those of the plan at most, as in a single change.
  assert.equal((await extend(30, [open])).results[0]!.expiresAt, toIso(now + 3 * DAY_MS));
  await server.context.db.updateTable('transfers').set({ closedAt: now }).where('id', '=', open).execute();
  assert.deepEqual((await extend(2, [open])).results, [
    {
      transferId: open,
      error: { code: 'transfer_used_up', detail: 'This transfer has reached its download limit.' },
      expiresAt: null,
    },
  ]);
});

test('a batch has at least one transfer and at most 100', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const isInvalid = (error: unknown) => error instanceof ApiError && error.code === 'invalid_input';
  for (const transferIds of [[], Array.from({ length: TRANSFERS_PER_BATCH_MAX + 1 }, () => UNKNOWN)]) {
    await assert.rejects(frida.call(deleteTransfers, { body: { transferIds } }), isInvalid);
    await assert.rejects(frida.call(restoreTransfers, { body: { transferIds } }), isInvalid);
    await assert.rejects(
      frida.call(extendTransfers, { body: { transferIds, expirationDays: 1 } }),
      isInvalid,
    );
  }
});
