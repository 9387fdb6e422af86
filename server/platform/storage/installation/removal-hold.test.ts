import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteTransfer } from '../../../../contracts/transfers/transfers.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { acquireRemovalHold } from './removal-hold.ts';

async function countBlobs({ context }: TestServer): Promise<number> {
  let count = 0;
  for await (const _ of context.blobs.list()) count += 1;
  return count;
}

async function sendAndDelete(server: TestServer): Promise<void> {
  const client = await server.signIn('paula');
  const { id } = await sendTransfer(client, [{ fileName: 'a.bin', bytes: makeBytes(100) }]);
  await client.call(deleteTransfer, { params: { id } });
}

test('deleted files keep their bytes while a removal hold is active', async (t) => {
  const server = await startTestServer(t);
  const hold = await acquireRemovalHold(server.context);
  await sendAndDelete(server);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);
  hold.assertHeld();
  await hold.release();
  await server.drainJobs();
  assert.equal(await countBlobs(server), 0);
});

test('a hold of a dead process expires after two minutes', async (t) => {
  const server = await startTestServer(t);
  const hold = await acquireRemovalHold(server.context);
  await sendAndDelete(server);
  server.clock.advance(119_000);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);
  server.clock.advance(2_000);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 0);
  await hold.release();
});
