import assert from 'node:assert/strict';
import test from 'node:test';
import { beginUpdate, planUpdate, publishUpdate } from '../../../contracts/transfers/versions.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { lockTransfer } from '../../platform/db/queries/lock-transfer.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { markOfTransfer } from './marks.ts';
import { findImport, insertItem, insertOrFindImport, insertStagedBlobs } from './queries.ts';
import { type Kept, undoImport } from './undo.ts';

test('undoing removes the bytes of a staged file only once no run can import them any more', async (t) => {
  const { context } = await startTestServer(t);
  const { db } = context;
  const createdAt = context.clock.now();
  const row = { id: 'i', name: 'palmr', product: 'palmr', fingerprint: null, createdAt } as const;
  await insertOrFindImport(db, row);
  const blob = { importId: 'i', sizeBytes: 1, sha256: 'a'.repeat(64), crc32: 0, createdAt };
  const keys = ['one', 'two'];
  await insertStagedBlobs(
    db,
    keys.map((storageKey) => ({ ...blob, storageKey, sourceId: `share/${storageKey}` })),
  );
  const removed: string[] = [];
  const remove = async (storageKey: string) => {
    const named = await db.selectFrom('importedBlobs').select('storageKey').execute();
    assert.ok(!named.some((each) => each.storageKey === storageKey), `${storageKey} is still staged`);
    removed.push(storageKey);
  };
  const tally = await undoImport({ ...context, blobs: { remove } } as never, row, () => undefined);
  assert.deepEqual([tally.blobs, removed.sort()], [2, keys]);
  assert.equal(await findImport(db, 'palmr'), undefined);
});

test('undoing keeps a transfer whose owner renamed a file', async (t) => {
  const server = await startTestServer(t);
  const { db, clock } = server.context;
  const createdAt = clock.now();
  const { id, files } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'plan.txt', bytes: 'plan' }],
  });
  const row = { id: 'i', name: 'palmr', product: 'palmr', fingerprint: null, createdAt } as const;
  await insertOrFindImport(db, row);
  await transaction(db, async (trx) => {
    const mark = markOfTransfer((await lockTransfer(trx, id))!);
    const item = { importId: 'i', kind: 'transfer', sourceId: 'share', targetId: id } as const;
    await insertItem(trx, { ...item, state: 'created', mark, createdAt });
  });
  const paula = await server.signIn('paula');
  const params = { id };
  const { version } = await paula.call(beginUpdate, { params });
  const fileId = files[0]!.id;
  const reused = [{ fileId, relativePath: 'plan 2.txt' }];
  await paula.call(planUpdate, { params, body: { removed: [fileId], reused } });
  await paula.call(publishUpdate, { params, body: { version } });
  const kept: Kept[] = [];
  const { transfers } = await undoImport(server.context, row, (each) => kept.push(each));
  assert.equal(transfers, 0);
  assert.deepEqual(
    kept.map((each) => [each.id, each.reason]),
    [[id, 'edited or downloaded since']],
  );
});
