import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../../../testing/test-context.ts';
import { findImport, insertOrFindImport, insertStagedBlobs } from './queries.ts';
import { undoImport } from './undo.ts';

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
