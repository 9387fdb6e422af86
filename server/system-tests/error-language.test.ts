import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Problem } from '../../contracts/errors.ts';
import { CAST } from '../../testing/cast.ts';
import { startTestServer } from '../../testing/test-context.ts';

const WRONG = { username: CAST.prem.username, password: 'not this one' };

async function openClient(t: TestContext) {
  const client = (await startTestServer(t)).anonymous();
  return async (
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> },
  ) => {
    const response = await client.fetch(path, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { response, problem: (await response.json()) as Problem };
  };
}

test('an error is in the language of the reader, and its code is the same', async (t) => {
  const call = await openClient(t);
  const english = await call('/api/login', { body: WRONG });
  const german = await call('/api/login', { body: WRONG, headers: { 'accept-language': 'de-AT,en;q=0.5' } });
  assert.equal(english.problem.detail, 'Incorrect username or password.');
  assert.equal(german.problem.detail, 'Benutzername oder Passwort ist falsch.');
  assert.deepEqual({ ...german.problem, detail: '' }, { ...english.problem, detail: '' });
  assert.equal(german.response.status, english.response.status);
  assert.equal(english.response.headers.get('content-language'), 'en');
  assert.equal(german.response.headers.get('content-language'), 'de');
  assert.match(german.response.headers.get('vary') ?? '', /accept-language/i);
});

test('the sentences of fields are translated, with their values', async (t) => {
  const call = await openClient(t);
  const body = { name: 'x'.repeat(101), username: '', email: 'nobody', password: 'short' };
  const { problem } = await call('/api/register', { body, headers: { 'accept-language': 'fr' } });
  assert.deepEqual(problem.errors, {
    name: 'Veuillez utiliser au plus 100 caractères.',
    username: 'Veuillez saisir un nom d’utilisateur',
    email: 'Veuillez saisir une adresse e-mail valide',
    password: 'Veuillez utiliser au moins 6 caractères.',
  });
});

test('the language of the pages takes precedence over that of the browser', async (t) => {
  const call = await openClient(t);
  const headers = { 'accept-language': 'de', cookie: 'language=nl' };
  const { problem } = await call('/api/transfers', { headers });
  assert.equal(problem.detail, 'Log eerst in.');
});

test('programs, other languages and broken headers get English', async (t) => {
  const call = await openClient(t);
  const german = { 'accept-language': 'de' };
  const byKey = await call('/api/transfers', { headers: { ...german, authorization: 'Bearer swk_unknown' } });
  assert.equal(byKey.problem.detail, 'This API key is unknown or has been deleted.');
  assert.equal(byKey.response.headers.get('content-language'), 'en');
  for (const wanted of ['pl', '*', 'de;q=0', '__proto__', `${'x,'.repeat(500)}de`]) {
    const { problem, response } = await call('/api/transfers', { headers: { 'accept-language': wanted } });
    assert.equal(problem.detail, 'Please sign in first.', wanted);
    assert.equal(response.headers.get('content-language'), 'en', wanted);
  }
});
