import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import test, { type TestContext } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { allEndpoints } from '../../../../contracts/all-endpoints.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { seedManyFiles } from '../../../../testing/uploads/many-files.ts';

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer };

/** `fetch` decompresses by itself. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers, method, agent: false }, async (response) => {
      const bytes = Buffer.concat(await Array.fromAsync(response));
      resolve({ status: response.statusCode!, headers: response.headers, bytes });
    });
    sent.on('error', reject).end();
  });
}

async function startWithFiles(t: TestContext, count: number) {
  const server = await startTestServer(t);
  const { token } = await seedManyFiles(server.context, { userId: server.userId('paula'), count });
  return `${server.url}/api/download/${token}`;
}

const GZIP = { 'accept-encoding': 'gzip, deflate' };
const BROTLI = { 'accept-encoding': 'gzip, deflate, br' };
/** What browsers add to the requests of our pages. */
const OF_A_PAGE = { ...GZIP, 'sec-fetch-site': 'same-origin' };

test('large views and lists of files are compressed for clients that accept it', async (t) => {
  const view = await startWithFiles(t, 1_500);
  for (const address of [view, `${view}/files`]) {
    const plain = await get(address);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, 'accept-encoding');
    // The second one may come from memory.
    for (const round of ['first', 'second']) {
      const small = await get(address, GZIP);
      assert.equal(small.headers['content-encoding'], 'gzip', round);
      assert.equal(small.headers.vary, 'accept-encoding');
      assert.ok(small.bytes.length < plain.bytes.length / 4, `${small.bytes.length} bytes`);
      assert.deepEqual(JSON.parse(gunzipSync(small.bytes).toString()), JSON.parse(plain.bytes.toString()));
    }
    const smaller = await get(address, BROTLI);
    assert.equal(smaller.headers['content-encoding'], 'br');
    assert.deepEqual(brotliDecompressSync(smaller.bytes), plain.bytes);
    for (const accepted of ['identity', 'zstd', 'gzip;q=0', 'gzip; q=0.0, br;q=0'])
      assert.deepEqual((await get(address, { 'accept-encoding': accepted })).bytes, plain.bytes, accepted);
  }
});

test('a view of a few hundred files is compressed the same each time, and HEAD describes it', async (t) => {
  const view = await startWithFiles(t, 300);
  const plain = await get(view);
  const [first, second] = [await get(view, GZIP), await get(view, GZIP)];
  assert.equal(gunzipSync(first.bytes).toString(), plain.bytes.toString());
  assert.deepEqual(second.bytes, first.bytes);
  const head = await get(view, GZIP, 'HEAD');
  assert.deepEqual(
    [head.status, head.headers['content-encoding'], head.headers['content-length'], head.bytes.length],
    [200, 'gzip', String(first.bytes.length), 0],
  );
});

test('small responses and refusals are sent as they are', async (t) => {
  const view = await startWithFiles(t, 1);
  for (const address of [view, `${view}/files`, `${view}/nothing`]) {
    const { headers, bytes } = await get(address, GZIP);
    assert.equal(headers['content-encoding'], undefined);
    assert.doesNotThrow(() => bytes.toString());
  }
});

test('other responses are compressed only if no other site can make a browser send the request', async (t) => {
  const server = await startTestServer(t);
  const { jar } = await server.signIn('paula');
  const cookie = jar.headerFor('/api');
  const { id } = await seedManyFiles(server.context, { userId: server.userId('paula'), count: 50 });
  const address = `${server.url}/api/transfers/${id}`;
  const encodingOf = async (headers: Record<string, string>) =>
    (await get(address, { cookie, ...headers })).headers['content-encoding'];
  assert.equal(await encodingOf(OF_A_PAGE), 'gzip');
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(await encodingOf({ ...GZIP, 'sec-fetch-site': site }), undefined, site);
  assert.equal(await encodingOf(GZIP), undefined);
  assert.deepEqual(
    gunzipSync((await get(address, { cookie, ...OF_A_PAGE })).bytes),
    (await get(address, { cookie })).bytes,
  );
});

test('for every request, only responses without secrets are compressed (BREACH)', () => {
  const compressible = allEndpoints.filter((endpoint) => endpoint.compressible);
  assert.ok(compressible.every(({ access, method }) => access === 'public' && method === 'GET'));
  assert.deepEqual(compressible.map(({ path }) => path).sort(), [
    '/api/download/:token',
    '/api/download/:token/arrival',
    '/api/download/:token/files',
    '/api/download/:token/versions/:version/files',
  ]);
});

test('responses that consist of a secret are never compressed', () => {
  const secret = allEndpoints.filter(({ method, response }) => {
    const shape = response instanceof z.ZodObject ? response.shape : {};
    // A GET only counts the recovery codes.
    return 'secret' in shape || 'key' in shape || ('recoveryCodes' in shape && method !== 'GET');
  });
  assert.equal(secret.length, 8);
  for (const { path, compressible } of secret) assert.equal(compressible, false, path);
});
