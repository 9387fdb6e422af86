import assert from 'node:assert/strict';
import test from 'node:test';
import { updateTransfer } from '../../../../contracts/transfers/transfers.ts';
import { zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { removeTransfer } from '../lifecycle/deletion.ts';
import { EXPIRY_GRACE_MS } from '../lifecycle/expiry.ts';

const FILES = [{ path: 'a.txt', bytes: 'hello' }];

test('a limit lowered during downloads never ends up below their count', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  for (let round = 0; round < 5; round += 1) {
    const { id, token } = await createReadyTransfer(server.context, {
      userId: server.userId('paula'),
      files: FILES,
    });
    const download = async () => {
      const response = await server.anonymous().fetch(zipDownloadPath(token));
      await response.arrayBuffer();
      return response.status;
    };
    const lower = paula.call(updateTransfer, { params: { id }, body: { maxDownloads: 4 } });
    const [lowered, ...statuses] = await Promise.allSettled([
      lower,
      ...Array.from({ length: 8 }, () => download()),
    ]);
    const counted = statuses.filter((each) => each.status === 'fulfilled' && each.value === 200).length;
    const row = await server.context.db
      .selectFrom('transfers')
      .select(['downloadCount', 'maxDownloads'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(row.downloadCount, counted);
    if (lowered!.status === 'fulfilled') {
      assert.deepEqual([row.maxDownloads, counted], [4, 4]);
    } else {
      assert.equal((lowered!.reason as { code: string }).code, 'limit_below_downloads');
      assert.deepEqual([row.maxDownloads, counted], [null, 8]);
    }
  }
});

test('raising a limit during downloads allows exactly that many more', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    maxDownloads: 1,
  });
  const download = async () => {
    const response = await server.anonymous().fetch(zipDownloadPath(token));
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await download(), 200);
  await Promise.all([
    paula.call(updateTransfer, { params: { id }, body: { maxDownloads: 5 } }),
    ...Array.from({ length: 10 }, () => download()),
  ]);
  const statuses = await Promise.all(Array.from({ length: 10 }, () => download()));
  const { downloadCount } = await server.context.db
    .selectFrom('transfers')
    .select('downloadCount')
    .executeTakeFirstOrThrow();
  assert.equal(downloadCount, 5);
  assert.ok(statuses.includes(410));
});

test('either the sweep removes an expired transfer or its owner reopens it, never both', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const expiresAt = server.clock.now() + HOUR_MS;
  const ids: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const transfer = { userId: server.userId('paula'), files: FILES, expiresAt };
    ids.push((await createReadyTransfer(server.context, transfer)).id);
  }
  server.clock.advance(HOUR_MS + EXPIRY_GRACE_MS + DAY_MS);
  const paula = await server.signIn('paula');
  const expiredBefore = server.clock.now() - EXPIRY_GRACE_MS;
  for (const [round, id] of ids.entries()) {
    const edit = () => paula.call(updateTransfer, { params: { id }, body: { expirationDays: 2 } });
    const sweep = () =>
      transaction(db, (trx) =>
        removeTransfer({ ...server.context, db: trx }, id, { cause: 'expired-removed', expiredBefore }),
      );
    const [edited, removed] =
      round % 2 === 0
        ? await Promise.allSettled([edit(), sweep()])
        : (await Promise.allSettled([sweep(), edit()])).reverse();
    assert.equal(removed!.status, 'fulfilled');
    const isRemoved = removed!.status === 'fulfilled' && removed!.value === true;
    assert.equal(edited!.status, isRemoved ? 'rejected' : 'fulfilled');
    if (edited!.status === 'rejected') assert.equal((edited!.reason as { status: number }).status, 404);
  }
});

test('concurrent edits are each applied completely', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('paula'), files: FILES });
  const edit = (body: object) => paula.call(updateTransfer, { params: { id }, body });
  await Promise.all([
    edit({ title: 'A' }),
    edit({ message: 'B' }),
    edit({ expirationDays: 9 }),
    edit({ maxDownloads: 7, autoDeleteAfterDownloads: true }),
    edit({ recipientEmails: ['rex@example.org'] }),
    edit({ password: 'secret' }),
  ]);
  const last = await edit({});
  assert.deepEqual(
    [last.title, last.message, last.maxDownloads, last.autoDeleteAfterDownloads, last.recipientEmails],
    ['A', 'B', 7, true, ['rex@example.org']],
  );
  assert.equal(last.isPasswordProtected, true);
  assert.equal(Date.parse(last.expiresAt!), server.clock.now() + 9 * DAY_MS);
});
