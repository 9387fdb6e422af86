import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../../../testing/test-context.ts';
import { announceFile, completeFile, sendChunks, uploadFile } from '../../../testing/uploads/upload-files.ts';

test('files that name their transfer only at completion stand each at a place of its own', async (t) => {
  const server = await startTestServer(t);
  const frida = await server.signIn('frida');
  const { transfer } = await uploadFile(frida, 'first.txt', Buffer.from('first'));
  for (const name of ['second.txt', 'third.txt', 'fourth.txt']) {
    const { uploadId } = await announceFile(frida, name, Buffer.from(name));
    await sendChunks(frida, uploadId, Buffer.from(name));
    await completeFile(frida, uploadId, { transferId: transfer.id });
  }
  const files = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  assert.deepEqual(
    files.map(({ originalName, position }) => [originalName, position]),
    [
      ['first.txt', 0],
      ['second.txt', 1],
      ['third.txt', 2],
      ['fourth.txt', 3],
    ],
  );
});
