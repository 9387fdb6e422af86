import assert from 'node:assert/strict';
import test from 'node:test';
import { type NamedEndpoint, namedEndpoints } from '../../contracts/all-endpoints.ts';
import type { Client } from '../../testing/calls/client.ts';
import { EVERY_CALL } from '../../testing/calls/live/every-call.ts';
import { LiveWorld, routeOf, type Wanted } from '../../testing/calls/live/live-world.ts';
import { addressOf, sendWanted } from '../../testing/calls/live/send-wanted.ts';
import { OpenApiChecker } from '../../testing/calls/open-api-checker.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { describeApi } from '../features/api-docs/document.ts';

const checker = new OpenApiChecker(await describeApi('http://localhost:3000'));

/** Public calls without input that could be refused. */
const NEVER_REFUSED = [
  'getHealth',
  'getReadiness',
  'getTierConfig',
  'getSite',
  'getOpenApiDocument',
  'discoverTus',
  'listSignInProviders',
];

test('every call has a live request in this test', () => {
  assert.deepEqual(Object.keys(EVERY_CALL).sort(), namedEndpoints.map(({ name }) => name).sort());
});

for (const call of namedEndpoints)
  test(`the response of ${routeOf(call)} matches the document, and HEAD has the same status and headers as GET`, async (t) => {
    const world = await LiveWorld.open(t);
    const wanted = await EVERY_CALL[call.name]!(world);
    const head = call.endpoint.method === 'GET' ? await headOf(world, call, wanted) : undefined;
    const answer = await sendWanted(world, call, wanted);
    if (head) requireSameHead(head, answer);
    const { status, response } = call.endpoint;
    const expected = status ?? (response === 'empty' ? 204 : 200);
    assert.equal(answer.status, expected, answer.ok ? '' : await answer.clone().text());
    await checker.check(call, answer);
  });

test('every refusal is documented, both as problem details and as a sentence', async (t) => {
  const server = await startTestServer(t, { RATE_LIMIT: 'off' });
  for (const call of namedEndpoints.filter(({ name }) => !NEVER_REFUSED.includes(name)))
    for (const accept of ['application/json', '*/*']) {
      const answer = await refuse(server.anonymous(), call, accept);
      assert.ok(answer.status >= 400 && answer.status < 500, `${routeOf(call)}: ${answer.status}`);
      const type = accept === '*/*' ? 'text/plain' : 'application/problem+json';
      if (call.endpoint.method !== 'HEAD')
        assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`, routeOf(call));
      await checker.check(call, answer);
    }
});

test('calls with an API key get problem details with any Accept header', async (t) => {
  const world = await LiveWorld.open(t);
  const { client, headers } = await world.key();
  const call = namedEndpoints.find(({ name }) => name === 'getTransfer')!;
  const answer = await client.fetch(addressOf(call.endpoint.path), { headers });
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  await checker.check(call, answer);
});

test('the server serves the document, and 304 to clients that have it', async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const answer = await client.fetch('/api/openapi.json');
  assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(checker.document)));
  const etag = answer.headers.get('etag')!;
  const again = await client.fetch('/api/openapi.json', { headers: { 'if-none-match': `W/"x", ${etag}` } });
  assert.deepEqual([again.status, await again.text()], [304, '']);
});

/** Sends a HEAD request and asserts that it counts no view or download. */
async function headOf(world: LiveWorld, call: NamedEndpoint, wanted: Wanted): Promise<Response> {
  const before = await countVisits(world);
  const head = await sendWanted(world, call, wanted, 'HEAD');
  assert.equal(await head.text(), '');
  // Views are stored after the response.
  if (call.contract === 'downloads') await world.server.drainJobs();
  assert.deepEqual(await countVisits(world), before, 'HEAD is neither a view nor a download');
  return head;
}

/** RFC 9110 §9.3.2: the header fields are the same as for GET. */
function requireSameHead(head: Response, answer: Response): void {
  assert.equal(head.status, answer.status, 'HEAD');
  assert.equal(head.headers.get('content-type'), answer.headers.get('content-type'));
  assert.equal(head.headers.has('content-length'), answer.headers.has('content-length'));
}

async function countVisits({ server: { context } }: LiveWorld) {
  const { db } = context;
  const downloads = await db.selectFrom('downloads').select('id').execute();
  const views = await db.selectFrom('transferViews').select('id').execute();
  const transfers = await db.selectFrom('transfers').select('downloadCount').orderBy('id').execute();
  const opened = await db.selectFrom('transferRecipients').select('openedAt').orderBy('id').execute();
  return { downloads: downloads.length, views: views.length, transfers, opened };
}

/** Calls without credentials if the call is not public, and otherwise with an unknown ID or from another site. */
function refuse(client: Client, { endpoint }: NamedEndpoint, accept: string): Promise<Response> {
  const { method, path, access, params, body } = endpoint;
  const isForeign = access === 'public' && !params;
  const type = body === 'stream' ? 'application/octet-stream' : 'application/json';
  return client.fetch(addressOf(path), {
    method,
    headers: {
      accept,
      ...(isForeign && { origin: 'https://elsewhere.example' }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: '{}' }),
  });
}
