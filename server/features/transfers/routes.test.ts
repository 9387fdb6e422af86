import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../client/api-error.ts';
import {
  deleteTransfer,
  getTransfer,
  listTransfers,
  resendTransfer,
} from '../../../contracts/transfers/transfers.ts';
import { zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { removeTransfer } from './lifecycle/deletion.ts';

const FILES = [
  { path: 'notes/a.txt', bytes: 'hello world' },
  { path: 'large.bin', bytes: Buffer.alloc(6_000_000, 1) },
];
const UNKNOWN = '0'.repeat(26);

const isNotFound = (error: unknown) =>
  error instanceof ApiError && error.status === 404 && error.code === 'transfer_not_found';

test('the list shows the user’s own ready transfers, newest first, and no secrets', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const make = async (title: string, name: 'frida' | 'paula') => {
    clock.advance(MINUTE_MS);
    return createReadyTransfer(context, {
      userId: server.userId(name),
      files: FILES,
      title,
      password: 'geheim',
    });
  };
  const [first, , draft] = [
    await make('first', 'frida'),
    await make('other', 'paula'),
    await make('draft', 'frida'),
  ];
  await make('second', 'frida');
  await context.db.updateTable('transfers').set({ status: 'draft' }).where('id', '=', draft.id).execute();
  const frida = await server.signIn('frida');
  const list = await frida.call(listTransfers);
  assert.deepEqual(
    list.map(({ title }) => title),
    ['second', 'first'],
  );
  const [, shown] = list;
  assert.equal(shown!.id, first.id);
  assert.equal(shown!.token, first.token);
  assert.deepEqual([shown!.fileCount, shown!.totalSize, shown!.isPasswordProtected], [2, 6_000_011, true]);
  const raw = await (await frida.fetch('/api/transfers')).text();
  for (const secret of ['argon2', 'passwordHash', 'storageKey', 'userId']) assert.ok(!raw.includes(secret));
});

test('the details contain the files in order and the ten most recent downloads', async (t) => {
  const server = await startTestServer(t);
  const { id, token, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
    title: 'Plans',
    recipientEmails: ['rex@example.org'],
  });
  const guest = server.anonymous();
  for (let index = 0; index < 12; index += 1) {
    server.clock.advance(MINUTE_MS);
    await (
      await guest.fetch(zipDownloadPath(token), { headers: { 'user-agent': `Browser ${index}` } })
    ).arrayBuffer();
  }
  const frida = await server.signIn('frida');
  const detail = await frida.call(getTransfer, { params: { id } });
  assert.deepEqual(detail.recipientEmails, ['rex@example.org']);
  assert.deepEqual(
    detail.files.map((file) => [file.id, file.relativePath, file.size, file.downloadCount]),
    [
      [files[0]!.id, 'notes/a.txt', 11, 12],
      [files[1]!.id, 'large.bin', 6_000_000, 12],
    ],
  );
  assert.deepEqual(
    detail.downloads.map(({ userAgent }) => userAgent),
    Array.from({ length: 10 }, (_, index) => `Browser ${11 - index}`),
  );
  assert.equal(detail.downloads[0]!.ipAddress, '127.0.0.1');
  assert.equal(detail.downloads[0]!.fileId, null);
});

test('another user’s transfer looks like one that does not exist', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('paula'), files: FILES });
  const frida = await server.signIn('frida');
  const ada = await server.signIn('ada');
  for (const client of [frida, ada]) {
    for (const each of [id, UNKNOWN]) {
      const params = { id: each };
      await assert.rejects(client.call(getTransfer, { params }), isNotFound);
      await assert.rejects(client.call(deleteTransfer, { params }), isNotFound);
      const body = { recipientEmails: ['rex@example.org'] };
      await assert.rejects(client.call(resendTransfer, { params, body }), isNotFound);
    }
  }
  const paula = await server.signIn('paula');
  assert.equal((await paula.call(getTransfer, { params: { id } })).id, id);
  assert.deepEqual(await server.mails(), []);
});

test('a deleted transfer is gone at once; the next job removes its bytes and rows', async (t) => {
  const server = await startTestServer(t);
  const { db, blobs } = server.context;
  const { id, files } = await createReadyTransfer(server.context, {
    userId: server.userId('frida'),
    files: FILES,
  });
  const kept = await createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES });
  const frida = await server.signIn('frida');
  await frida.call(deleteTransfer, { params: { id } });
  await assert.rejects(frida.call(getTransfer, { params: { id } }), isNotFound);
  await assert.rejects(frida.call(deleteTransfer, { params: { id } }), isNotFound);
  assert.deepEqual(
    (await frida.call(listTransfers)).map((each) => each.id),
    [kept.id],
  );
  await server.drainJobs();
  for (const { storageKey } of files) await assert.rejects(blobs.openRange(storageKey, 0, 1));
  for (const { storageKey } of kept.files) await (await blobs.openRange(storageKey, 0, 1)).close();
  const rows = await db.selectFrom('files').select('transferId').distinct().execute();
  assert.deepEqual(
    rows.map(({ transferId }) => transferId),
    [kept.id],
  );
});

test('ten concurrent deletions count as one', async (t) => {
  const server = await startTestServer(t);
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES });
  const frida = await server.signIn('frida');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => frida.call(deleteTransfer, { params: { id } })),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.ok(outcomes.every((each) => each.status === 'fulfilled' || isNotFound(each.reason)));
});

test('a deletion interrupted at any step is finished by its job, which may run twice', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const { id, files } = await createReadyTransfer(context, { userId: server.userId('frida'), files: FILES });
  await transaction(context.db, (trx) =>
    removeTransfer({ ...server.context, db: trx }, id, { cause: 'deleted-by-owner' }),
  );
  await context.blobs.remove(files[0]!.storageKey);
  await context.db
    .insertInto('jobs')
    .values({
      id: 'again',
      name: 'remove-transfer-data',
      payload: JSON.stringify({ transferId: id }),
      uniqueKey: null,
      runAt: 0,
      createdAt: 0,
    })
    .execute();
  await server.drainJobs();
  assert.deepEqual(await context.db.selectFrom('transfers').select('id').execute(), []);
  assert.deepEqual(
    await context.db.selectFrom('jobs').select('id').where('name', '=', 'remove-transfer-data').execute(),
    [],
  );
  await assert.rejects(context.blobs.openRange(files[1]!.storageKey, 0, 1));
});

test('a rolled-back deletion has no effect, and a repeated one reports that it did nothing', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const { id } = await createReadyTransfer(server.context, { userId: server.userId('frida'), files: FILES });
  const rollBack = transaction(db, async (trx) => {
    assert.equal(
      await removeTransfer({ ...server.context, db: trx }, id, { cause: 'deleted-by-owner' }),
      true,
    );
    throw new Error('no');
  });
  await assert.rejects(rollBack, /no/);
  await server.drainJobs();
  const frida = await server.signIn('frida');
  assert.equal((await frida.call(getTransfer, { params: { id } })).id, id);
  assert.equal(
    await transaction(db, (trx) =>
      removeTransfer({ ...server.context, db: trx }, id, { cause: 'deleted-by-owner' }),
    ),
    true,
  );
  assert.equal(
    await transaction(db, (trx) =>
      removeTransfer({ ...server.context, db: trx }, id, { cause: 'deleted-by-owner' }),
    ),
    false,
  );
});
