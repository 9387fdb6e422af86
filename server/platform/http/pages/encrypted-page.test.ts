import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';
import { isAppError } from '../../lib/app-error.ts';
import { serveEncryptedPage } from './encrypted-page.ts';

const INLINE = 'document.title = "open";';
const HASH = createHash('sha256').update(INLINE).digest('base64');
const DOCUMENT = `<!doctype html><link rel="stylesheet" href="/assets/page.css">
<script src="/assets/page.js" integrity="sha256-abc+/=" crossorigin></script><script>${INLINE}</script>`;

const TOKEN = 'a'.repeat(26);
const KEY = `1.${'K'.repeat(43)}`;

async function startApp(t: TestContext, bucket?: string) {
  const root = await mkdtemp(join(tmpdir(), 'sendwell-pages-'));
  await writeFile(join(root, 'encrypted.html'), DOCUMENT);
  const app = Fastify();
  await app.register(fastifyStatic, { root, serve: false });
  serveEncryptedPage(app, { root, bucket });
  app.setErrorHandler((error, _request, reply) => reply.code(isAppError(error) ? error.status : 500).send());
  t.after(async () => {
    await app.close();
    await rm(root, { recursive: true, force: true });
  });
  return app;
}

test('every link of an encrypted transfer gets the same document, also with the key in its path', async (t) => {
  const app = await startApp(t);
  const paths = ['', `?r=${'b'.repeat(26)}`, `%23${KEY}`, `%2523${KEY}`, `?r=b%23${KEY}`, '/'];
  for (const rest of paths) {
    const page = await app.inject(`/e/${TOKEN}${rest}`);
    assert.deepEqual([page.statusCode, page.body], [200, DOCUMENT], rest);
    assert.match(page.headers['content-type'] as string, /^text\/html/);
  }
  assert.equal((await app.inject({ method: 'HEAD', url: `/e/${TOKEN}` })).statusCode, 200);
  for (const path of ['/e/', '/e/unknown']) assert.equal((await app.inject(path)).statusCode, 404, path);
});

test('only scripts of the document run, named by their hashes', async (t) => {
  const { headers } = await (await startApp(t)).inject(`/e/${TOKEN}`);
  const policy = headers['content-security-policy'] as string;
  assert.ok(policy.startsWith(`default-src 'none'; script-src 'sha256-abc+/=' 'sha256-${HASH}'; `), policy);
  assert.match(policy, /connect-src 'self'; /);
  assert.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('the page may connect to the bucket of direct downloads', async (t) => {
  const app = await startApp(t, 'https://bucket.example.org');
  const policy = (await app.inject(`/e/${TOKEN}`)).headers['content-security-policy'] as string;
  assert.match(policy, /connect-src 'self' https:\/\/bucket\.example\.org;/);
});

test('a download that no service worker answers is not the document', async (t) => {
  const app = await startApp(t);
  assert.equal((await app.inject('/e/save/0b8f')).statusCode, 404);
});
