import assert from 'node:assert/strict';
import test from 'node:test';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { writeBlob } from '../../platform/storage/write-blob.ts';
import { checkPictures } from './pictures.ts';

test('missing and truncated pictures are logged, complete ones are not', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const transfer = await createReadyTransfer(context, {
    userId: server.userId('paula'),
    files: ['whole', 'short', 'gone'].map((path) => ({ path, bytes: path })),
  });
  const keys = transfer.files.map(() => randomId());
  for (const [index, { id }] of transfer.files.entries()) {
    const row = { id: randomId(), fileId: id, storageKey: keys[index]!, sizeBytes: 10 };
    await context.db
      .insertInto('fileThumbnails')
      .values({ ...row, mimeType: 'image/webp', width: 1, height: 1, createdAt: 0 })
      .execute();
  }
  await writeBlob(context.blobs, keys[0]!, Buffer.alloc(10));
  await writeBlob(context.blobs, keys[1]!, Buffer.alloc(9));
  const logged: string[] = [];
  const log = {
    warn: ({ storageKey }: { storageKey: string }) => logged.push(storageKey),
    error: () => undefined,
  };
  await checkPictures({ ...context, log: log as never }, new AbortController());
  assert.deepEqual(logged.sort(), keys.slice(1).sort());
});
