import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import { readApiError } from '../../client/api-error.ts';
import type { Caller } from '../../client/call.ts';
import { type BytesRequest, sendSealedText } from '../../client/send-sealed-text.ts';
import { verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads, type TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { readSecretText, sealSecretText } from '../../encryption/secret-text.ts';
import { openSegments } from '../../encryption/segments.ts';
import type { Client } from '../../testing/calls/client.ts';
import { startTestServer } from '../../testing/test-context.ts';

const TEXT = 'correct horse battery staple';

async function sendText(client: Client, settings: TransferSettingsInput) {
  const { params, accessKeyHash, linkSecret, keys, ...sealed } = await sealSecretText({ text: TEXT });
  const send = () =>
    sendSealedText({ ...sealed, encryption: { ...params, accessKeyHash } }, settings, {
      call: client.call.bind(client) as Caller['call'],
      sendBytes: async ({ path, ...request }: BytesRequest) => {
        const response = await client.fetch(path, request);
        if (!response.ok) throw await readApiError(response);
        await response.arrayBuffer();
      },
      crc32,
    });
  return { sealed, keys, send, sent: await send() };
}

test('fifty people who show a secret text at once: one can, by ranges as the page asks for them', async (t) => {
  const server = await startTestServer(t);
  const { sent, keys, sealed } = await sendText(await server.signIn('prem'), { maxDownloads: 1 });
  const params = { token: sent.token };
  const guests = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const guest = server.anonymous();
      await guest.call(verifyDownload, { params, body: { accessKey: keys.accessKey } });
      return guest;
    }),
  );
  const view = await guests[0]!.call(viewDownload, { params });
  assert.equal(view.downloadCount, 0, 'opening the page does not use the text up');
  const path = fileDownloadPath(sent.token, view.files![0]!.id);
  const answers = await Promise.all(
    guests.map(async (guest) => {
      const response = await guest.fetch(path, { headers: { range: 'bytes=0-0' } });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    }),
  );
  const statuses = answers.map(({ status }) => status);
  const winner = statuses.indexOf(206);
  assert.equal(statuses.filter((status) => status === 206).length, 1);
  assert.equal(statuses.filter((status) => status === 410).length, 49);
  const rest = await guests[winner]!.fetch(path, { headers: { range: 'bytes=1-' } });
  const whole = Buffer.concat([answers[winner]!.bytes, Buffer.from(await rest.arrayBuffer())]);
  const place = { fileId: sealed.fileId, plainBytes: view.files![0]!.size - 40, firstSegment: 0 };
  const plain = await openSegments(keys.content, place, new Uint8Array(whole));
  assert.equal(readSecretText(plain), TEXT);
});

test('sending a text again after a lost answer makes no second transfer', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const { send, sent } = await sendText(prem, { maxDownloads: 1 });
  assert.deepEqual(await send(), sent);
  assert.equal((await prem.call(listTransfers)).length, 1);
});

test('a refused text leaves no upload behind', async (t) => {
  const server = await startTestServer(t);
  const free = await server.signIn('frida');
  await assert.rejects(sendText(free, { maxDownloads: 1 }), { code: 'tier_required' });
  assert.deepEqual([await free.call(listUploads), await free.call(listTransfers)], [[], []]);
});
