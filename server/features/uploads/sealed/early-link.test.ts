import assert from 'node:assert/strict';
import test from 'node:test';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { initUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { makeAccess } from '../../../../testing/uploads/sealed-transfers.ts';
import { describeFile, makeBytes } from '../../../../testing/uploads/upload-files.ts';

test('the sender of an encrypted transfer learns its link at once, which opens nothing yet', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const file = { ...describeFile('0'.repeat(32), makeBytes(41)), mimeType: 'application/octet-stream' };
  const { encryption } = makeAccess();
  const created = await prem.call(initUploads, { body: { encryption, files: [file] } });
  assert.match(created.token!, /^[0-9a-z]{26}$/);
  await assert.rejects(server.anonymous().call(viewDownload, { params: { token: created.token! } }), {
    status: 404,
  });
  const plain = await prem.call(initUploads, { body: { files: [describeFile('a.txt', makeBytes(1))] } });
  assert.equal(plain.token, undefined);
});
