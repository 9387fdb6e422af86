import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import test from 'node:test';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { putFile, SentFile } from '../../../../contracts/transfers/settings/text-settings.ts';
import { deleteTransfer, getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { createApiKey } from '../../../../testing/calls/api-keys.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { TIER_CONFIG_KEY } from '../../tiers/tiers.ts';

type Put = { headers?: Record<string, string>; body?: Buffer | ReadableStream };

function put(client: Client, path: string, { headers, body }: Put = {}): Promise<Response> {
  return client.fetch(`/api/files/${path}`, {
    method: 'PUT',
    headers: { accept: 'application/json', ...headers },
    ...(body !== undefined && {
      body: body instanceof Buffer ? new Uint8Array(body) : body,
      duplex: 'half' as const,
    }),
  });
}

async function sent(answer: Response): Promise<SentFile> {
  assert.equal(answer.status, 201, await answer.clone().text());
  return SentFile.parse(await answer.json());
}

function asStream(bytes: Buffer): ReadableStream {
  return new Blob([new Uint8Array(bytes)]).stream();
}

async function requireStored(client: Client, { token, file }: SentFile, bytes: Buffer): Promise<void> {
  const response = await client.fetch(fileDownloadPath(token, file.id));
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
}

/** Requires that there are no uploads, no transfers and no used bytes. */
async function requireNothing({ context }: TestServer, client: Client): Promise<void> {
  assert.deepEqual(await client.call(listUploads), []);
  assert.deepEqual(await client.call(listTransfers), []);
  const rows = await context.db.selectFrom('monthlyUsage').select('bytes').execute();
  assert.ok(rows.every(({ bytes }) => bytes === 0));
}

test('a file sent as one body returns its share link as a line, or details as JSON', async (t) => {
  const server = await startTestServer(t);
  const { headers } = await createApiKey(server.context, server.userId('prem'));
  const body = makeBytes(2 * CHUNK_BYTES + 7);
  const answer = await put(server.anonymous(), 'big%20%C3%BC.bin', {
    body,
    headers: { ...headers, accept: '*/*' },
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  const link = (await answer.text()).trimEnd();
  assert.equal(answer.headers.get('location'), link);
  assert.equal(answer.headers.get('sendwell-share-link'), link);
  assert.match(link, /^http.*\/download\/[0-9a-z]{26}$/);
  const token = link.split('/').at(-1)!;
  const { files } = await server.anonymous().call(viewDownload, { params: { token } });
  const id = files![0]!.id;
  assert.equal(files![0]!.originalName, 'big ü.bin');
  await requireStored(server.anonymous(), { token, file: { id } } as SentFile, body);
});

test('bodies of unknown length, of any type or none, and empty ones are accepted', async (t) => {
  const prem = await (await startTestServer(t)).signIn('prem');
  const bytes = makeBytes(CHUNK_BYTES + 3);
  await requireStored(prem, await sent(await put(prem, 'piped', { body: asStream(bytes) })), bytes);
  const json = Buffer.from('{"not": "parsed"');
  for (const type of [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'image/png',
  ]) {
    const file = await sent(await put(prem, 'typed', { body: json, headers: { 'content-type': type } }));
    await requireStored(prem, file, json);
  }
  for (const body of [undefined, Buffer.alloc(0), asStream(Buffer.alloc(0))])
    assert.equal((await sent(await put(prem, 'empty', body && { body }))).file.size, 0);
});

test('settings can be given in the query or in headers', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const body = Buffer.from('abc');
  const byQuery = await sent(
    await put(prem, 'a%2Fb%2Fc.txt?title=Plans&to=rex@example.org,rita@example.org&days=2', { body }),
  );
  const headers = {
    'sendwell-title': Buffer.from('Pläne').toString('latin1'),
    'sendwell-to': 'rex@example.org',
    'sendwell-expiration-days': '2',
    'sendwell-password': 'secret',
    'sendwell-max-downloads': '4',
  };
  const byHeader = await sent(await put(prem, 'c.txt', { body, headers }));
  const expiresAt = new Date(server.clock.now() + 2 * DAY_MS).toISOString();
  assert.equal(byQuery.file.name, 'a/b/c.txt');
  assert.partialDeepStrictEqual(await prem.call(getTransfer, { params: { id: byQuery.transferId } }), {
    title: 'Plans',
    recipientEmails: ['rex@example.org', 'rita@example.org'],
    expiresAt,
  });
  assert.partialDeepStrictEqual(await prem.call(getTransfer, { params: { id: byHeader.transferId } }), {
    title: 'Pläne',
    recipientEmails: ['rex@example.org'],
    expiresAt,
    isPasswordProtected: true,
    maxDownloads: 4,
  });
});

test('several files make one transfer, identified by its id or by the caller’s name for it', async (t) => {
  const server = await startTestServer(t);
  const [prem, paula] = [await server.signIn('prem'), await server.signIn('paula')];
  const body = Buffer.from('x');
  const first = await sent(await put(prem, 'one', { body }));
  const second = await sent(await put(prem, `two?transferId=${first.transferId}`, { body }));
  assert.deepEqual([second.link, second.transferId], [first.link, first.transferId]);
  const headers = { 'sendwell-transfer': 'Holiday' };
  const named = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => sent(await put(prem, name, { body, headers }))),
  );
  assert.deepEqual([...new Set(named.map(({ link }) => link))], [named[0]!.link]);
  assert.equal((await prem.call(getTransfer, { params: { id: named[0]!.transferId } })).files.length, 4);
  const hers = await sent(await put(paula, 'a', { body, headers }));
  assert.notEqual(hers.transferId, named[0]!.transferId, 'a name is its caller’s own');
  assert.equal((await put(paula, `x?transferId=${first.transferId}`, { body })).status, 404);
  await prem.call(deleteTransfer, { params: { id: named[0]!.transferId } });
  await server.drainJobs();
  const anew = await sent(await put(prem, 'e', { body, headers }));
  assert.notEqual(anew.link, named[0]!.link, 'a deleted one does not come back');
});

const REFUSED: [name: string, path: string, status: number][] = [
  ['an unknown transfer', `x?transferId=${'0'.repeat(26)}`, 404],
  ['an invalid number of days', 'x?days=soon', 400],
  ['an invalid address', 'x?to=nobody', 400],
  ['an expiry in the past', 'x?expiresAt=2001-01-01T00:00:00Z', 400],
  ['a path that is too deep', 'a%2F'.repeat(33), 400],
  ['a name that is not text', '%00', 400],
];
for (const [name, path, status] of REFUSED)
  test(`a file with ${name} is refused with ${status} before its bytes are read`, async (t) => {
    const server = await startTestServer(t);
    const prem = await server.signIn('prem');
    for (const body of [Buffer.alloc(CHUNK_BYTES), asStream(Buffer.alloc(10))]) {
      const answer = await put(prem, path, { body });
      assert.equal(answer.status, status, await answer.text());
    }
    await requireNothing(server, prem);
  });

test('a truncated body leaves nothing behind, with or without a declared length', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  for (const headers of [{ 'content-length': String(3 * CHUNK_BYTES) }, { 'transfer-encoding': 'chunked' }]) {
    const call = request(`${server.url}/api/files/broken`, {
      method: putFile.method,
      headers: { ...headers, cookie: prem.jar.headerFor('/api/files')! },
    });
    call.on('error', () => undefined);
    call.write(Buffer.alloc(CHUNK_BYTES + MIB));
    await once(call, 'drain');
    if ('content-length' in headers) await until(async () => (await prem.call(listUploads)).length === 1);
    call.destroy();
    await until(async () => (await prem.call(listUploads)).length === 0);
  }
  await requireNothing(server, prem);
  await server.drainJobs();
  // The row is deleted before the bytes.
  await until(async () => (await Array.fromAsync(server.context.blobs.list())).length === 0);
});

test('the plan’s limits apply to each byte, even of concurrent bodies of unknown length', async (t) => {
  const server = await startTestServer(t);
  const free = { ...DEFAULT_TIER_CONFIG.free, storagePerTransfer: 2 * MIB, monthlyTotal: 3 * MIB };
  await server.context.db
    .insertInto('settings')
    .values({
      id: 'x',
      key: TIER_CONFIG_KEY,
      value: JSON.stringify({ ...DEFAULT_TIER_CONFIG, free }),
      updatedAt: 0,
    })
    .execute();
  const frida = await server.signIn('frida');
  const big = Buffer.alloc(2 * MIB + 1);
  for (const body of [big, asStream(big)]) {
    const answer = await put(frida, 'big', { body });
    assert.deepEqual(
      [answer.status, ((await answer.json()) as { code: string }).code],
      [413, 'transfer_limit_exceeded'],
    );
  }
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => {
      const bytes = Buffer.alloc(MIB);
      return put(frida, `${index}`, { body: index % 2 ? bytes : asStream(bytes) });
    }),
  );
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 201).length <= 3);
  assert.ok(statuses.every((status) => status === 201 || status === 413));
  for (const answer of answers) await answer.text();
  const transfers = await frida.call(listTransfers);
  assert.equal(transfers.length, statuses.filter((status) => status === 201).length);
  assert.deepEqual(await frida.call(listUploads), []);
  assert.equal((await put(frida, 'last', { body: asStream(Buffer.alloc(2 * MIB)) })).status, 413);
});
