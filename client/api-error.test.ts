import assert from 'node:assert/strict';
import test from 'node:test';
import { errorDetail, NetworkError, readApiError, refusalText } from './api-error.ts';

const PROBLEM = { status: 409, code: 'username_taken', detail: 'This username is already taken.' };

async function messageOf(body: string, init: ResponseInit): Promise<string> {
  return refusalText(await readApiError(new Response(body, init)));
}

test('the message of a refusal is the status code, a colon and the body text', async () => {
  const plain = { status: 413, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  assert.equal(await messageOf('This is too much.', plain), '413: This is too much.');
  const json = { status: 409, headers: { 'content-type': 'application/problem+json' } };
  assert.equal(await messageOf(JSON.stringify(PROBLEM), json), '409: This username is already taken.');
});

test('a refusal with an empty body has the status text as message', async () => {
  assert.equal(await messageOf('', { status: 502, statusText: 'Bad Gateway' }), '502: Bad Gateway');
});

test('a body that is not the JSON it claims to be is shown unchanged', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const body of ['null', '"Busy"', '{', '[]', '{"message":"Busy"}'])
    assert.equal(await messageOf(body, { status: 503, headers }), `503: ${body}`);
});

test('Retry-After is read if it is a number of seconds', async () => {
  const waitOf = async (value: string) =>
    (await readApiError(new Response('', { status: 429, headers: { 'retry-after': value } })))
      .retryAfterSeconds;
  assert.equal(await waitOf('90'), 90);
  assert.equal(await waitOf('Sat, 21 Nov 2026 12:00:00 GMT'), undefined);
});

test('an unreachable server is a NetworkError with its own message', () => {
  const sentence = 'The server could not be reached. Please check your connection and try again.';
  assert.equal(refusalText(new NetworkError()), sentence);
  assert.equal(errorDetail(new Error('Stopped')), 'Stopped');
});
