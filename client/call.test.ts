import assert from 'node:assert/strict';
import test from 'node:test';
import { z } from 'zod';
import { addressOf, defineEndpoint } from '../contracts/endpoint.ts';
import { ApiError, NetworkError } from './api-error.ts';
import { createCaller, type HttpRequest } from './call.ts';

const rename = defineEndpoint({
  method: 'PATCH',
  path: '/api/things/:id',
  access: 'public',
  summary: 'Renames a thing',
  params: z.object({ id: z.string() }),
  body: z.object({ name: z.string() }),
  response: z.object({ name: z.string() }),
});
const remove = defineEndpoint({
  method: 'DELETE',
  path: '/api/things',
  access: 'public',
  summary: 'Deletes all things',
  response: 'empty',
});
const list = defineEndpoint({
  method: 'GET',
  path: '/api/things',
  access: 'public',
  summary: 'Lists things',
  query: z.object({ cursor: z.string().optional() }),
  paged: true,
  response: z.array(z.string()),
});

/** A caller that always gets this response and records the requests. */
function callerOf(response: Response | Error) {
  const requests: HttpRequest[] = [];
  const caller = createCaller(async (request) => {
    requests.push(request);
    if (response instanceof Error) throw response;
    return response;
  });
  return { ...caller, requests };
}

test('a call fills in the path parameters and sends JSON', async () => {
  const { call, requests } = callerOf(Response.json({ name: 'b' }));
  const input = { params: { id: 'x/y' }, body: { name: 'b' }, idempotencyKey: 'k' };
  assert.deepEqual(await call(rename, input), { name: 'b' });
  assert.deepEqual(requests, [
    {
      method: 'PATCH',
      path: '/api/things/x%2Fy',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"name":"b"}',
      signal: undefined,
    },
  ]);
});

test('an empty response is not parsed, and undefined parameters are not sent', async () => {
  assert.equal(await callerOf(new Response(null, { status: 204 })).call(remove), undefined);
  assert.equal(addressOf('/a', {}, { b: undefined, c: 'ä', d: 0 }), '/a?c=%C3%A4&d=0');
});

test('a page of a list contains the cursor of the next page', async () => {
  const headers = { link: '</api/things?cursor=2>; rel="next"' };
  const page = await callerOf(Response.json(['a'], { headers })).callPage(list, { query: {} });
  assert.deepEqual(page, { items: ['a'], nextCursor: '2' });
  const last = await callerOf(Response.json(['b'])).callPage(list, { query: { cursor: '2' } });
  assert.deepEqual(last, { items: ['b'], nextCursor: undefined });
});

test('a refusal is an ApiError', async () => {
  const problem = { code: 'not_signed_in', detail: 'Please sign in first.' };
  const headers = { 'content-type': 'application/problem+json' };
  const { call } = callerOf(new Response(JSON.stringify(problem), { status: 401, headers }));
  await assert.rejects(call(remove), (error) => error instanceof ApiError && error.code === 'not_signed_in');
});

test('a success that is not JSON or whose body is cut off is a network failure', async () => {
  const input = { params: { id: '1' }, body: { name: 'b' } };
  await assert.rejects(callerOf(new Response('<html>')).call(rename, input), NetworkError);
  const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) });
  await assert.rejects(callerOf(new Response(broken)).call(rename, input), NetworkError);
});

test('an abort while the body is read rejects with the signal’s reason', async () => {
  const stop = new AbortController();
  const broken = new ReadableStream({
    pull(controller) {
      stop.abort(new Error('stopped'));
      controller.error(new TypeError('aborted'));
    },
  });
  const input = { params: { id: '1' }, body: { name: 'b' }, signal: stop.signal };
  await assert.rejects(callerOf(new Response(broken)).call(rename, input), /stopped/);
});
