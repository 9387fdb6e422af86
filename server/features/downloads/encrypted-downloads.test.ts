import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { verifyDownload, viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import {
  fileDownloadPath,
  plainSharePath,
  shareCardPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { makeAccess, sendSealedTransfer, unlockSealed } from '../../../testing/uploads/sealed-transfers.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { getLinkCard } from './link-card/link-card.ts';

type Plan = NonNullable<Parameters<typeof sendSealedTransfer>[1]>;

async function startWithSealed(t: TestContext, plan: Plan = {}) {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const sent = await sendSealedTransfer(prem, plan);
  const guest = async (): Promise<Client> => {
    const client = server.anonymous();
    await unlockSealed(client, sent);
    return client;
  };
  return { server, prem, sent, guest, params: { token: sent.token } };
}

async function statusOf(client: Client, path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await client.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

test('fifty concurrent downloads of an encrypted transfer at a limit of seven give exactly seven', async (t) => {
  const { sent, guest, prem, params } = await startWithSealed(t, { settings: { maxDownloads: 7 } });
  const guests = await Promise.all(Array.from({ length: 50 }, guest));
  const paths = [fileDownloadPath(sent.token, sent.files[0]!.id), zipDownloadPath(sent.token)];
  const statuses = await Promise.all(guests.map((client, index) => statusOf(client, paths[index % 2]!)));
  assert.equal(statuses.filter((status) => status === 200).length, 7);
  assert.equal(statuses.filter((status) => status === 410).length, 43);
  const view = await guests[0]!.call(viewDownload, { params });
  assert.equal(view.downloadCount, 7);
  // Manifest and list stay readable, so that a download can resume.
  assert.equal(await statusOf(guests[0]!, `/api/download/${sent.token}/manifest`), 200);
  assert.equal(await statusOf(prem, `/api/transfers/${sent.id}/manifest`), 200);
});

test('attempts with wrong access keys are limited; the right one opens the transfer at any time', async (t) => {
  const { server, sent, params } = await startWithSealed(t);
  const guest = server.anonymous();
  const { accessKey } = makeAccess('another transfer');
  const tryKey = () => guest.call(verifyDownload, { params, body: { accessKey } });
  for (let attempt = 0; attempt < 10; attempt += 1)
    await assert.rejects(tryKey(), { code: 'wrong_access_key', status: 401 });
  await assert.rejects(tryKey(), { code: 'too_many_requests' });
  assert.equal(await statusOf(guest, `/api/download/${sent.token}/manifest`), 423);
  await unlockSealed(guest, sent);
  assert.equal(await statusOf(guest, `/api/download/${sent.token}/manifest`), 200);
});

test('a password does not unlock an encrypted transfer, and its grant opens no other one', async (t) => {
  const { server, prem, sent, params } = await startWithSealed(t);
  const guest = server.anonymous();
  await assert.rejects(guest.call(verifyDownload, { params, body: { password: 'open sesame' } }), {
    code: 'access_key_required',
  });
  for (const body of [{}, { password: 'x', accessKey: sent.accessKey }, { accessKey: 'short' }])
    await assert.rejects(guest.call(verifyDownload, { params, body }), { code: 'invalid_input' });
  const other = await sendSealedTransfer(prem, { seed: 'other' });
  await unlockSealed(guest, sent);
  const [grant] = guest.jar.headerFor(`/api/download/${sent.token}`)!.split('; ');
  const cookie = { cookie: grant! };
  const asStranger = server.anonymous();
  assert.equal(await statusOf(asStranger, `/api/download/${sent.token}/manifest`, cookie), 200);
  assert.equal(await statusOf(asStranger, `/api/download/${other.token}/manifest`, cookie), 423);
});

test('a scheduled or expired encrypted transfer gives away no manifest', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const opensAt = toIso(server.clock.now() + DAY_MS);
  const sent = await sendSealedTransfer(prem, { settings: { scheduledAvailableAt: opensAt } });
  const guest = server.anonymous();
  await unlockSealed(guest, sent);
  const path = `/api/download/${sent.token}/manifest`;
  assert.equal(await statusOf(guest, path), 423);
  const view = await guest.call(viewDownload, { params: { token: sent.token } });
  assert.equal(view.availableAt, opensAt);
  assert.ok(view.encryption);
  server.clock.advance(DAY_MS + 1);
  await unlockSealed(guest, sent);
  assert.equal(await statusOf(guest, path), 200);
  server.clock.advance(100 * DAY_MS);
  assert.equal(await statusOf(guest, path), 410);
});

test('a manifest is cached by its revision', async (t) => {
  const { sent, guest } = await startWithSealed(t);
  const client = await guest();
  const path = `/api/download/${sent.token}/manifest`;
  const first = await client.fetch(path);
  await first.arrayBuffer();
  const etag = first.headers.get('etag')!;
  assert.equal(etag, '"manifest-1"');
  const again = await client.fetch(path, {
    headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get('sendwell-manifest-revision'), '1');
  assert.equal(await statusOf(client, `/api/download/${sent.token}/pictures`), 404);
});

test('what cannot work for an encrypted transfer says so', async (t) => {
  const { server, sent, guest } = await startWithSealed(t);
  const client = await guest();
  const plain = await client.fetch(plainSharePath(sent.token));
  assert.equal(plain.status, 200);
  const html = await plain.text();
  assert.match(html, /end-to-end encrypted.*sendwell receive/s);
  assert.match(html, new RegExp(`href="/e/${sent.token}"`));
  for (const { fileName, id } of sent.files) assert.doesNotMatch(html, new RegExp(`${fileName}|${id}`));
  await server.drainJobs();
  assert.equal(await statusOf(client, `/api/download/${sent.token}/SHA256SUMS`), 404);
  assert.equal(await statusOf(client, `/api/download/${sent.token}/thumbnail/${sent.files[0]!.id}`), 404);
  assert.deepEqual(await server.context.db.selectFrom('filePreviews').selectAll().execute(), []);
  const zip = await client.fetch(zipDownloadPath(sent.token));
  await zip.arrayBuffer();
  assert.match(zip.headers.get('content-disposition')!, /Encrypted transfer\.zip/);
});

test('messengers see only count and size of an encrypted transfer', async (t) => {
  const { server, sent } = await startWithSealed(t);
  const card = await getLinkCard(server.context, sent.token, { ip: '203.0.113.7', headers: {} } as never);
  assert.deepEqual(card, { title: 'Encrypted transfer', detail: '2 files · 1.1 KB', sender: undefined });
  assert.equal(await statusOf(server.anonymous(), shareCardPath(sent.token)), 200);
});

test('mails about an encrypted transfer have the link without its key and no names', async (t) => {
  const recipientEmails = ['rex@example.org'];
  const { server, sent } = await startWithSealed(t, { settings: { recipientEmails } });
  const [mail] = (await server.mails()).filter(({ kind }) => kind === 'transfer-ready');
  assert.match(mail!.subject, /sent you “Encrypted transfer”$/);
  const text = JSON.stringify(mail);
  assert.match(text, new RegExp(`/e/${sent.token}\\?r=\\w{26}`));
  assert.match(text, /shares the key with you separately/);
  for (const secret of [sent.accessKey, '#1.', ...sent.files.map(({ fileName }) => fileName)])
    assert.ok(!text.includes(secret), secret);
});
