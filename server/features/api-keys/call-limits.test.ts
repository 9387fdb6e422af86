import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { getCurrentUser } from '../../../contracts/accounts/accounts.ts';
import { API_BYTE_CALLS_PER_MINUTE, API_CALLS_PER_MINUTE } from '../../../contracts/accounts/api-keys.ts';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { MINUTE_MS, SECOND_MS } from '../../../contracts/values/durations.ts';
import { clientWithKey, createApiKey } from '../../../testing/calls/api-keys.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { announceFile, sendChunk } from '../../../testing/uploads/upload-files.ts';
import { createApp } from '../../app.ts';
import { createContext } from '../../create-context.ts';

const LIMIT = API_CALLS_PER_MINUTE.pro;

test('of parallel calls beyond the limit of a minute, exactly as many as the limit succeed', async (t) => {
  const server = await startTestServer(t);
  const key = await createApiKey(server.context, server.userId('paula'));
  const client = clientWithKey(server, key);
  const answers = await callManyTimes(client, LIMIT + 50);
  assert.deepEqual(answers, { 200: LIMIT, 429: 50 });
  server.clock.advance(MINUTE_MS);
  assert.deepEqual(await callManyTimes(client, 3), { 200: 3 });
});

test('two processes share the limit, never exceed it and use nearly all of it', async (t) => {
  const server = await startTestServer(t);
  const other = await startSecondProcess(t, server);
  const key = await createApiKey(server.context, server.userId('paula'));
  const [here, there] = await Promise.all([
    callManyTimes(clientWithKey(server, key), LIMIT),
    callManyTimes(clientWithKey(other, key), LIMIT),
  ]);
  const made = (here[200] ?? 0) + (there[200] ?? 0);
  assert.ok(made <= LIMIT && made >= LIMIT - 40, `${made}`);
  assert.deepEqual(await callManyTimes(clientWithKey(server, key), 40), { 429: 40 });
});

test('each response states the remaining calls, and a refusal also when to retry', async (t) => {
  const server = await startTestServer(t);
  const client = clientWithKey(server, await createApiKey(server.context, server.userId('paula')));
  const fetchUser = async () => {
    const answer = await client.fetch('/api/user');
    await answer.text();
    return answer;
  };
  const first = await fetchUser();
  assert.equal(first.headers.get('ratelimit-policy'), `"calls";q=${LIMIT};w=60`);
  assert.equal(first.headers.get('ratelimit'), `"calls";r=${LIMIT - 1};t=60`);
  server.clock.advance(20 * SECOND_MS);
  assert.equal((await fetchUser()).headers.get('ratelimit'), `"calls";r=${LIMIT - 2};t=40`);
  await callManyTimes(client, LIMIT - 2);
  const last = await client.fetch('/api/user');
  assert.equal(last.headers.get('ratelimit'), '"calls";r=0;t=40');
  assert.equal(last.headers.get('retry-after'), '40');
  const sentence =
    'This API key has reached its limit of 600 calls per minute. Please wait 40 seconds and try again.';
  assert.partialDeepStrictEqual(await last.json(), {
    status: 429,
    code: 'api_limit_exceeded',
    detail: sentence,
  });
});

test('each key has its own limit, set by the plan, and refused calls count too', async (t) => {
  const server = await startTestServer(t);
  const [pro, premium] = [server.userId('paula'), server.userId('prem')];
  const keys = [
    await createApiKey(server.context, pro, ['write']),
    await createApiKey(server.context, premium),
  ];
  const [paula, prem] = keys.map((key) => clientWithKey(server, key));
  await assert.rejects(paula!.call(listTransfers), { code: 'api_key_scope' });
  const left = async (client = prem!) => (await client.fetch('/api/user')).headers.get('ratelimit');
  assert.equal(await left(paula), `"calls";r=${LIMIT - 2};t=60`);
  assert.equal(await left(), `"calls";r=${API_CALLS_PER_MINUTE.premium - 1};t=60`);
});

test('calls that transfer bytes have a separate, higher limit', async (t) => {
  const server = await startTestServer(t);
  const client = clientWithKey(server, await createApiKey(server.context, server.userId('paula')));
  const { uploadId } = await announceFile(client, 'a', Buffer.from('a'));
  const answer = await sendChunk(client, { uploadId, index: 0, body: new Uint8Array([97]) });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('ratelimit'), `"bytes";r=${API_BYTE_CALLS_PER_MINUTE - 1};t=60`);
});

test('RATE_LIMIT=off disables the limit of keys, and sessions have no such limit', async (t) => {
  const server = await startTestServer(t, { RATE_LIMIT: 'off' });
  const client = clientWithKey(server, await createApiKey(server.context, server.userId('paula')));
  const answer = await client.fetch('/api/user');
  assert.deepEqual([answer.status, answer.headers.get('ratelimit')], [200, null]);
  const limited = await startTestServer(t);
  const paula = await limited.signIn('paula');
  await paula.call(getCurrentUser);
  assert.equal((await paula.fetch('/api/user')).headers.get('ratelimit'), null);
});

type Caller = { fetch(path: string): Promise<Response> };

async function callManyTimes(client: Caller, times: number): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await client.fetch('/api/user');
      await answer.text();
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    }),
  );
  return counts;
}

/** Starts another server on the same database with its own counters in memory. */
async function startSecondProcess(
  t: TestContext,
  { context }: Awaited<ReturnType<typeof startTestServer>>,
): Promise<{ url: string }> {
  const own = await createContext(context.config, { clock: context.clock });
  const app = await createApp(own);
  t.after(async () => {
    await app.close();
    await own.close();
  });
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}
