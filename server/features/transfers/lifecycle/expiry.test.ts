import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getTransfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { ClockGuard, confirmClock } from '../../../platform/jobs/clock-guard.ts';
import { removeTransfer } from './deletion.ts';
import { EXPIRY_GRACE_MS, sweepExpiredTransfers } from './expiry.ts';

const FILES = [{ path: 'a.txt', bytes: 'hello world' }];

async function startWithTransfer(t: TestContext) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
    expiresAt: server.clock.now() + DAY_MS,
  });
  return { server, transfer };
}

/** Advances the clock hour by hour and runs the hourly jobs. */
async function live({ clock, drainJobs }: TestServer, duration: number): Promise<void> {
  for (let left = duration; left > 0; left -= HOUR_MS) {
    clock.advance(Math.min(left, HOUR_MS));
    await drainJobs();
  }
}

async function findFlag({ context }: TestServer, id: string): Promise<number | undefined> {
  const row = await context.db
    .selectFrom('transfers')
    .select('isExpired')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.isExpired;
}

test('an expired transfer is marked and kept for its grace period; the next sweep removes it', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  server.clock.advance(DAY_MS - 3 * HOUR_MS);
  await live(server, 3 * HOUR_MS - MINUTE_MS);
  assert.equal(await findFlag(server, transfer.id), 0);
  await live(server, 2 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 1);
  const frida = await server.signIn('frida');
  assert.equal((await frida.call(getTransfer, { params: { id: transfer.id } })).isExpired, true);
  server.clock.advance(EXPIRY_GRACE_MS - 6 * HOUR_MS);
  await live(server, 3 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 1);
  await live(server, 3 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), undefined);
  await assert.rejects(server.context.blobs.openRange(transfer.files[0]!.storageKey, 0, 1));
});

test('nothing is marked or deleted after a clock jump until the clock is right again', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  await live(server, 2 * HOUR_MS);
  server.clock.jump(3_650 * DAY_MS);
  await server.drainJobs();
  await live(server, 10 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 0);
  server.clock.jump(-3_650 * DAY_MS);
  await live(server, 3 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 0);
  assert.ok(await server.context.blobs.openRange(transfer.files[0]!.storageKey, 0, 1));
});

test('a clock 400 days ahead deletes nothing, neither over two starts nor over hours', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { context, clock } = server;
  await live(server, 2 * HOUR_MS);
  clock.jump(400 * DAY_MS);
  for (let start = 1; start <= 2; start += 1) {
    const clockGuard = new ClockGuard({ ...context, readSharedTime: async () => clock.now() });
    await sweepExpiredTransfers({ ...context, clockGuard });
    clock.advance(30_000);
    await sweepExpiredTransfers({ ...context, clockGuard });
  }
  await live(server, 10 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 0);
  const { stop } = await context.clockGuard.check();
  assert.equal(await confirmClock(context.db, { stopId: stop!.id, now: clock.now() }), true);
  await live(server, 3 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), undefined, 'confirmed');
});

test('after a month offline nothing is deleted until the clock is confirmed', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { context, clock } = server;
  await live(server, 2 * HOUR_MS);
  clock.jump(30 * DAY_MS);
  await live(server, HOUR_MS);
  clock.advance(30 * DAY_MS);
  await live(server, HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), 0);
  const { stop } = await context.clockGuard.check();
  assert.equal(await confirmClock(context.db, { stopId: stop!.id, now: clock.now() }), true);
  await live(server, 4 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), undefined);
});

test('a sweep removes ten transfers or one percent, the next sweep the rest', async (t) => {
  const { server } = await startWithTransfer(t);
  const { context, clock } = server;
  const { userId } = await context.db.selectFrom('transfers').select('userId').executeTakeFirstOrThrow();
  for (let count = 1; count < 12; count += 1)
    await createReadyTransfer(context, { userId, files: FILES, expiresAt: clock.now() + DAY_MS });
  const countReady = async () =>
    (await context.db.selectFrom('transfers').select('id').where('status', '=', 'ready').execute()).length;
  clock.advance(DAY_MS + EXPIRY_GRACE_MS);
  await sweepExpiredTransfers(context);
  assert.equal(await countReady(), 2);
  await sweepExpiredTransfers(context);
  assert.equal(await countReady(), 0);
});

test('a transfer extended at the last moment is not removed', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { db } = server.context;
  const expiresAt = server.clock.now() + DAY_MS;
  await db.updateTable('transfers').set({ expiresAt }).where('id', '=', transfer.id).execute();
  const expiredBefore = expiresAt - 1;
  assert.equal(
    await transaction(db, (trx) =>
      removeTransfer({ ...server.context, db: trx }, transfer.id, {
        cause: 'expired-removed',
        expiredBefore,
      }),
    ),
    false,
  );
  assert.equal(
    await transaction(db, (trx) =>
      removeTransfer({ ...server.context, db: trx }, transfer.id, {
        cause: 'expired-removed',
        expiredBefore: expiresAt,
      }),
    ),
    true,
  );
});

test('a removal that failed for good is retried by the next sweep', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const { db } = server.context;
  await transaction(db, (trx) =>
    removeTransfer({ ...server.context, db: trx }, transfer.id, { cause: 'deleted-by-owner' }),
  );
  await db.updateTable('jobs').set({ failedAt: 1 }).where('name', '=', 'remove-transfer-data').execute();
  await live(server, 2 * HOUR_MS);
  assert.equal(await findFlag(server, transfer.id), undefined);
});
