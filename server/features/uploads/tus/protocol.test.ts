import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { CHUNK_BYTES } from '../../../../contracts/plans/limits.ts';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { listUploads } from '../../../../contracts/transfers/uploads/uploads.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { createApiKey } from '../../../../testing/calls/api-keys.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import {
  announceByTus,
  encodeMetadata,
  expectOk,
  OFFSET_STREAM,
  offsetByTus,
  patchByTus,
  requireStored,
  tokenOfLink,
  tusCall,
} from '../../../../testing/uploads/tus-calls.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';

async function start(t: TestContext) {
  const server = await startTestServer(t);
  return { server, prem: await server.signIn('prem') };
}

test('OPTIONS describes the server to anyone, with and without a trailing slash', async (t) => {
  const { server } = await start(t);
  for (const path of ['/api/tus', '/api/tus/']) {
    const { status, headers } = await server.anonymous().fetch(path, { method: 'OPTIONS' });
    assert.equal(status, 204);
    assert.equal(headers.get('tus-resumable'), '1.0.0');
    assert.equal(headers.get('tus-version'), '1.0.0');
    assert.equal(
      headers.get('tus-extension'),
      'creation,creation-with-upload,expiration,termination,checksum',
    );
    assert.equal(headers.get('tus-checksum-algorithm'), 'sha1,sha256,md5,crc32');
    assert.equal(headers.get('tus-max-size'), String(DEFAULT_TIER_CONFIG.premium.storagePerTransfer));
  }
});

test('a file can be sent in pieces of any length, and its last byte completes the transfer', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(2 * CHUNK_BYTES + 70_001);
  const path = await announceByTus(prem, bytes.length, { filename: 'größe.bin', filetype: 'image/x-odd' });
  assert.match(path, /^\/api\/tus\/[0-9a-z]{26}$/);
  let offset = 0;
  for (const length of [1, 99_999, MIB, CHUNK_BYTES, CHUNK_BYTES - MIB - 100_000]) {
    const body = bytes.subarray(offset, offset + length);
    const answer = await expectOk(await patchByTus(prem, path, { offset, body }));
    offset += length;
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('upload-offset'), String(offset));
    assert.equal(answer.headers.get('sendwell-share-link'), null);
    const head = await expectOk(await tusCall(prem, 'HEAD', path));
    assert.equal(head.headers.get('upload-offset'), String(offset));
    assert.equal(head.headers.get('upload-length'), String(bytes.length));
    assert.equal(head.headers.get('cache-control'), 'no-store');
    assert.equal(
      head.headers.get('upload-metadata'),
      encodeMetadata({ filename: 'größe.bin', filetype: 'image/x-odd' }),
    );
    assert.ok(Date.parse(head.headers.get('upload-expires')!) > 0);
  }
  assert.deepEqual(await prem.call(listTransfers), []);
  const last = await expectOk(await patchByTus(prem, path, { offset, body: bytes.subarray(offset) }));
  assert.equal(last.headers.get('upload-offset'), String(bytes.length));
  await requireStored(prem, last, bytes);
  const [transfer] = await prem.call(listTransfers);
  assert.equal(transfer!.id, last.headers.get('sendwell-transfer-id'));
  const { files } = await prem.call(getTransfer, { params: { id: transfer!.id } });
  assert.deepEqual([files[0]!.originalName, files[0]!.mimeType], ['größe.bin', 'image/x-odd']);
  const after = await expectOk(await tusCall(prem, 'HEAD', path));
  assert.equal(after.headers.get('sendwell-share-link'), last.headers.get('sendwell-share-link'));
  assert.equal(after.headers.get('upload-expires'), null);
  const again = await patchByTus(prem, path, { offset: bytes.length, body: Buffer.alloc(0) });
  assert.equal(again.status, 204);
});

test('settings in the announcement apply to the transfer, and the password is never returned', async (t) => {
  const { server, prem } = await start(t);
  const metadata = {
    filename: 'a.txt',
    title: 'Plans',
    message: 'Grüße',
    recipients: 'rex@example.org, rita@example.org',
    expirationDays: '3',
    maxDownloads: '7',
    password: 'open sesame',
  };
  const path = await announceByTus(prem, 3, metadata);
  const head = await tusCall(prem, 'HEAD', path);
  assert.ok(!head.headers.get('upload-metadata')!.includes('password'));
  const row = await server.context.db.selectFrom('tusUploads').selectAll().executeTakeFirstOrThrow();
  assert.ok(!JSON.stringify(row).includes('open sesame'));
  assert.ok(!row.metadata.includes(Buffer.from('open sesame').toString('base64')));
  const last = await expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.from('abc') }));
  const params = { id: last.headers.get('sendwell-transfer-id')! };
  assert.partialDeepStrictEqual(await prem.call(getTransfer, { params }), {
    title: 'Plans',
    message: 'Grüße',
    recipientEmails: ['rex@example.org', 'rita@example.org'],
    maxDownloads: 7,
    isPasswordProtected: true,
    expiresAt: new Date(server.clock.now() + 3 * DAY_MS).toISOString(),
  });
  const token = tokenOfLink(last);
  const verify = (password: string) =>
    server.anonymous().fetch(`/api/download/${token}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    });
  assert.equal((await verify('close sesame')).status, 401);
  assert.ok((await verify('open sesame')).ok);
});

test('files become one transfer by its id or by a common name, complete at the given count', async (t) => {
  const { prem } = await start(t);
  const names = ['a/one.txt', 'a/b/two.txt', 'three.txt'];
  const send = async (relativePath: string, more: Record<string, string>) => {
    const filename = relativePath.split('/').at(-1)!;
    const path = await announceByTus(prem, 5, { filename, relativePath, fileCount: '3', ...more });
    return expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.from('12345') }));
  };
  const first = await send(names[0]!, { title: 'By id' });
  const transferId = first.headers.get('sendwell-transfer-id')!;
  assert.deepEqual(await prem.call(listTransfers), []);
  await Promise.all(names.slice(1).map((name) => send(name, { transferId })));
  await Promise.all(names.map((name) => send(name, { transfer: 'Holiday 2026', title: 'By name' })));
  const transfers = await prem.call(listTransfers);
  assert.deepEqual(transfers.map(({ title, fileCount }) => [title, fileCount]).sort(), [
    ['By id', 3],
    ['By name', 3],
  ]);
  for (const { id } of transfers) {
    const { files } = await prem.call(getTransfer, { params: { id } });
    assert.deepEqual(files.map(({ relativePath }) => relativePath).sort(), [...names].sort());
  }
});

test('an empty file is complete once announced', async (t) => {
  const { prem } = await start(t);
  const headers = { 'upload-length': '0' };
  const answer = await expectOk(await tusCall(prem, 'POST', '/api/tus/', { headers }));
  assert.equal(answer.status, 201);
  assert.equal((await prem.call(listTransfers))[0]!.totalSize, 0);
  const head = await expectOk(await tusCall(prem, 'HEAD', answer.headers.get('location')!));
  assert.equal(head.headers.get('sendwell-share-link'), answer.headers.get('sendwell-share-link'));
});

test('an empty file in a named transfer is created once, however often creation is repeated', async (t) => {
  const { prem } = await start(t);
  const create = (relativePath: string, sizeBytes: number) =>
    announceByTus(prem, sizeBytes, { filename: 'x', relativePath, transfer: 'Folder', fileCount: '3' });
  const first = await create('folder/empty', 0);
  assert.equal(await create('folder/empty', 0), first);
  assert.notEqual(await create('folder/other', 0), first);
  const path = await create('folder/full', 5);
  await expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.from('12345') }));
  // Also after the transfer is complete.
  assert.equal(await create('folder/empty', 0), first);
  const [transfer] = await prem.call(listTransfers);
  assert.equal(transfer!.fileCount, 3);
});

test('the first bytes, or all, may come with the announcement', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(300_000);
  const headers = { 'upload-length': String(bytes.length), 'content-type': OFFSET_STREAM };
  const part = await tusCall(prem, 'POST', '/api/tus', { headers, body: bytes.subarray(0, 100_000) });
  assert.deepEqual([part.status, part.headers.get('upload-offset')], [201, '100000']);
  const body = bytes.subarray(100_000);
  const path = part.headers.get('location')!;
  await requireStored(prem, await expectOk(await patchByTus(prem, path, { offset: 100_000, body })), bytes);
  const whole = await tusCall(prem, 'POST', '/api/tus', { headers, body: bytes });
  assert.equal(whole.status, 201);
  await requireStored(prem, whole, bytes);
});

test('API keys work too, within their scopes', async (t) => {
  const { server } = await start(t);
  const { headers } = await createApiKey(server.context, server.userId('paula'), ['write']);
  const reader = await createApiKey(server.context, server.userId('paula'), ['read']);
  const nobody = server.anonymous();
  const create = (by: Record<string, string>) =>
    tusCall(nobody, 'POST', '/api/tus', { headers: { ...by, 'upload-length': '4' } });
  assert.equal((await create({})).status, 401);
  assert.equal((await create(reader.headers)).status, 403);
  const path = (await expectOk(await create(headers))).headers.get('location')!;
  assert.equal((await tusCall(nobody, 'HEAD', path, { headers })).headers.get('upload-offset'), '0');
  const answer = await expectOk(
    await patchByTus(nobody, path, { offset: 0, body: Buffer.from('abcd'), headers }),
  );
  await requireStored(nobody, answer, Buffer.from('abcd'));
});

/** Invalid announcements, with the status and code of the refusal. */
const REFUSALS: [name: string, headers: Record<string, string>, status: number, code: string][] = [
  ['another version', { 'tus-resumable': '0.2.2' }, 412, 'tus_version'],
  ['no version', { 'tus-resumable': '' }, 412, 'tus_version'],
  ['no length', { 'upload-length': '' }, 400, 'tus_bad_header'],
  ['an invalid length', { 'upload-length': '-5' }, 400, 'tus_bad_header'],
  ['a length no file can have', { 'upload-length': '9007199254740993' }, 413, 'body_too_large'],
  ['a deferred length', { 'upload-defer-length': '1' }, 400, 'tus_not_supported'],
  ['a part of a file', { 'upload-concat': 'partial' }, 400, 'tus_not_supported'],
  ['duplicate metadata', { 'upload-metadata': 'a YQ==,a YQ==' }, 400, 'tus_bad_header'],
  ['metadata that are no base64', { 'upload-metadata': 'a ***' }, 400, 'tus_bad_header'],
  ['metadata that is not text', { 'upload-metadata': 'a gICA' }, 400, 'tus_bad_header'],
  [
    'an unknown setting',
    { 'upload-metadata': encodeMetadata({ maxDownloads: 'many' }) },
    400,
    'invalid_input',
  ],
  [
    'a foreign transfer',
    { 'upload-metadata': encodeMetadata({ transferId: '0'.repeat(26) }) },
    404,
    'transfer_not_found',
  ],
];
for (const [name, headers, status, code] of REFUSALS)
  test(`an announcement with ${name} is refused with ${status} and leaves nothing behind`, async (t) => {
    const { prem } = await start(t);
    const answer = await tusCall(prem, 'POST', '/api/tus', { headers: { 'upload-length': '5', ...headers } });
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('tus-resumable'), '1.0.0');
    if (status === 412) assert.equal(answer.headers.get('tus-version'), '1.0.0');
    assert.equal(((await answer.json()) as { code: string }).code, code);
    assert.deepEqual(await prem.call(listUploads), []);
  });

test('sizes and settings beyond the plan are refused before any byte', async (t) => {
  const { server } = await start(t);
  const free = await server.signIn('frida');
  const tooMuch = DEFAULT_TIER_CONFIG.free.storagePerTransfer + 1;
  await assert.rejects(announceByTus(free, tooMuch), { status: 413, code: 'transfer_limit_exceeded' });
  await assert.rejects(announceByTus(free, 5, { password: 'secret' }), {
    status: 402,
    code: 'tier_required',
  });
});

test('bytes at a wrong offset, of a wrong type, or too many of them change nothing', async (t) => {
  const { prem } = await start(t);
  const path = await announceByTus(prem, 1_000);
  await expectOk(await patchByTus(prem, path, { offset: 0, body: Buffer.alloc(100) }));
  const body = Buffer.alloc(10);
  const tries: [Promise<Response>, number][] = [
    [patchByTus(prem, path, { offset: 99, body }), 409],
    [patchByTus(prem, path, { offset: 101, body }), 409],
    [patchByTus(prem, path, { offset: 1_000, body: Buffer.alloc(0) }), 409],
    [patchByTus(prem, path, { offset: 100, body: Buffer.alloc(901) }), 413],
    [patchByTus(prem, path, { offset: 100, body: asStream(Buffer.alloc(901)) }), 413],
    [patchByTus(prem, path, { offset: 100, body, headers: { 'content-type': 'text/plain' } }), 415],
    [patchByTus(prem, path, { offset: 100, body, headers: { 'upload-offset': 'x' } }), 400],
    [patchByTus(prem, path, { offset: 100, body, headers: { 'tus-resumable': '2.0.0' } }), 412],
    [patchByTus(prem, `/api/tus/${'0'.repeat(26)}`, { offset: 0, body }), 404],
  ];
  for (const [answering, status] of tries) {
    const answer = await answering;
    assert.equal(answer.status, status);
    await answer.text();
  }
  assert.equal(await offsetByTus(prem, path), 100);
  const rest = await expectOk(
    await patchByTus(prem, path, { offset: 100, body: asStream(Buffer.alloc(900)) }),
  );
  await requireStored(prem, rest, Buffer.alloc(1_000));
});

test('bytes with a checksum are stored only if it matches, even across chunks', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(CHUNK_BYTES + 300 * KIB);
  const path = await announceByTus(prem, bytes.length);
  const cuts = [0, 100 * KIB, CHUNK_BYTES + 1, CHUNK_BYTES + 99, CHUNK_BYTES + 100, bytes.length];
  const digests = {
    sha1: (piece: Buffer) => createHash('sha1').update(piece).digest('base64'),
    sha256: (piece: Buffer) => createHash('sha256').update(piece).digest('base64'),
    md5: (piece: Buffer) => createHash('md5').update(piece).digest('base64'),
    crc32: (piece: Buffer) =>
      Buffer.from(crc32(piece).toString(16).padStart(8, '0'), 'hex').toString('base64'),
  };
  const algorithms = Object.entries(digests);
  let last: Response | undefined;
  for (const [count, offset] of cuts.slice(0, -1).entries()) {
    const body = bytes.subarray(offset, cuts[count + 1]);
    const [name, digest] = algorithms[count % algorithms.length]!;
    const checksum = (piece: Buffer) => ({ 'upload-checksum': `${name} ${digest(piece)}` });
    const wrong = await patchByTus(prem, path, { offset, body, headers: checksum(Buffer.from('other')) });
    assert.equal(wrong.status, 460, await wrong.text());
    assert.equal(await offsetByTus(prem, path), offset);
    last = await expectOk(await patchByTus(prem, path, { offset, body, headers: checksum(body) }));
  }
  await requireStored(prem, last!, bytes);
  const unknown = await announceByTus(prem, 5);
  for (const header of ['sha512 AAAA', 'sha1 AAAA', 'sha1', '']) {
    const headers = { 'upload-checksum': header };
    const answer = await patchByTus(prem, unknown, { offset: 0, body: Buffer.alloc(5), headers });
    assert.equal(answer.status, 400);
  }
});

test('a terminated upload is removed with its reservation, a complete one stays', async (t) => {
  const { prem } = await start(t);
  const path = await announceByTus(prem, 2 * CHUNK_BYTES);
  await expectOk(await patchByTus(prem, path, { offset: 0, body: makeBytes(CHUNK_BYTES + 5) }));
  assert.equal((await tusCall(prem, 'DELETE', path)).status, 204);
  for (const method of ['HEAD', 'DELETE']) assert.equal((await tusCall(prem, method, path)).status, 404);
  assert.deepEqual(await prem.call(listUploads), []);
  const headers = { 'upload-length': '0' };
  const complete = (await tusCall(prem, 'POST', '/api/tus', { headers })).headers.get('location')!;
  assert.equal((await tusCall(prem, 'DELETE', complete)).status, 409);
});

test('clients limited to POST can override the method', async (t) => {
  const { prem } = await start(t);
  const path = await announceByTus(prem, 4);
  const as = (method: string) => ({ 'x-http-method-override': method });
  const headers = { ...as('PATCH'), 'content-type': OFFSET_STREAM, 'upload-offset': '0' };
  const answer = await tusCall(prem, 'POST', path, { headers, body: Buffer.from('ab') });
  assert.deepEqual([answer.status, answer.headers.get('upload-offset')], [204, '2']);
  assert.equal((await tusCall(prem, 'POST', path, { headers: as('GET') })).status, 400);
  assert.equal((await tusCall(prem, 'POST', path, { headers: as('DELETE') })).status, 204);
  assert.equal((await tusCall(prem, 'HEAD', path)).status, 404);
});

test('an upload is visible to its owner only, and tus does not see other uploads', async (t) => {
  const { server, prem } = await start(t);
  const path = await announceByTus(prem, 4);
  const pro = await server.signIn('paula');
  for (const method of ['HEAD', 'DELETE']) assert.equal((await tusCall(pro, method, path)).status, 404);
  assert.equal((await patchByTus(pro, path, { offset: 0, body: Buffer.from('abcd') })).status, 404);
  assert.equal(await offsetByTus(prem, path), 0);
});

function asStream(bytes: Buffer): ReadableStream {
  return new Blob([new Uint8Array(bytes)]).stream();
}

test('bytes after the end of a complete file are refused and change nothing', async (t) => {
  const { prem } = await start(t);
  const bytes = makeBytes(1_000);
  const path = await announceByTus(prem, bytes.length, { filename: 'a.bin' });
  const done = await expectOk(await patchByTus(prem, path, { offset: 0, body: bytes }));
  const beyond = [
    { offset: 1_000, body: Buffer.alloc(1) },
    { offset: 1_000, body: asStream(Buffer.alloc(1)) },
    { offset: 1_000, body: Buffer.alloc(6 * MIB) },
    { offset: 500, body: Buffer.alloc(501) },
    { offset: 2_000, body: Buffer.alloc(0) },
  ];
  for (const piece of beyond) assert.equal((await patchByTus(prem, path, piece)).status, 413);
  for (const body of [Buffer.alloc(0), asStream(Buffer.alloc(0))])
    assert.equal(
      (await patchByTus(prem, path, { offset: 1_000, body })).status,
      204,
      'a repetition without bytes',
    );
  assert.equal(await offsetByTus(prem, path), 1_000);
  await requireStored(prem, done, bytes);
});
