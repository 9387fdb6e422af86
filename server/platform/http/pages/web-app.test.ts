import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import sharp from 'sharp';
import {
  PAGES,
  SHARE_FAILED_PAGE,
  SHARE_TARGET_PATH,
  STATIC_DOCUMENTS,
} from '../../../../contracts/values/addresses/pages.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { findPlainTwin } from './web-app.ts';

const skip =
  !existsSync(join(import.meta.dirname, '../../../../dist/web/landing.html')) && 'the pages are not built';

test('the landing page, the terms and the privacy policy are documents of their own', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const headlines = { '/': 'Share Files', '/terms': 'Terms of Service', '/privacy': 'Privacy Policy' };
  for (const [path, headline] of Object.entries(headlines)) {
    const page = await client.fetch(path);
    assert.equal(page.status, 200, path);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    assert.match(page.headers.get('content-security-policy')!, /default-src 'self'.*style-src 'self'/);
    const html = await page.text();
    assert.match(html, new RegExp(`<h1[^>]*>${headline}`));
    assert.doesNotMatch(html, / style="|<style|<script>/, 'the policy would refuse it');
    assert.doesNotMatch(html, /id="root"/, 'not the application');
  }
});

test('without Stripe no page lets another site’s script in', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const path of [PAGES.pricing, PAGES.settingsPlan, PAGES.landing]) {
    const policy = (await client.fetch(path)).headers.get('content-security-policy')!;
    assert.match(policy, /script-src 'self';/);
    assert.doesNotMatch(policy, /(?:script|style|connect|frame)-src [^;]*https:/);
  }
});

test('HEAD answers like GET, and a cached document gets 304', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const path of Object.keys(STATIC_DOCUMENTS)) {
    const head = await client.fetch(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    const etag = head.headers.get('etag')!;
    assert.ok(etag);
    // Otherwise fetch sends "no-cache".
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const known = await client.fetch(path, { headers });
    assert.equal(known.status, 304);
    assert.match(known.headers.get('content-security-policy')!, /default-src 'self'/);
  }
});

test('documents are compressed for clients that accept it', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const [encoding, expected] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const page = await client.fetch('/', { headers: { 'accept-encoding': encoding } });
    assert.equal(page.headers.get('content-encoding'), expected);
    assert.match(await page.text(), /^<!doctype html>/i);
  }
});

test('a trailing slash and a query change nothing', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const path of ['/terms/', '/terms?from=mail', '/?utm=1']) {
    const page = await client.fetch(path);
    assert.equal(page.status, 200, path);
    assert.doesNotMatch(await page.text(), /id="root"/, path);
  }
});

test("every other page is the app, and the documents' files have no URL of their own", {
  skip,
}, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const application = await client.fetch(PAGES.auth);
  assert.equal(application.status, 200);
  assert.match(await application.text(), /id="root"/);
  for (const path of [
    '/index.html',
    '/landing.html',
    '/terms.html',
    '/landing.html.br',
    '/terms/more',
    '/TERMS',
  ]) {
    assert.equal((await client.fetch(path)).status, 404, path);
  }
  assert.equal((await client.fetch('/terms', { method: 'POST' })).status, 404);
});

test('images and videos of other hosts (ads) are allowed only in the app', {
  skip,
}, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const policyOf = async (path: string) => (await client.fetch(path)).headers.get('content-security-policy')!;
  for (const path of [PAGES.dashboard, PAGES.auth, PAGES.pricing])
    assert.match(await policyOf(path), /img-src 'self' data: blob: https:; .*media-src 'self' https:/, path);
  for (const path of [PAGES.landing, PAGES.terms, PAGES.download, PAGES.visitorUpload])
    assert.doesNotMatch(await policyOf(path), /https:/, path);
});

test('a link whose key a mail gateway moved into the path opens the page', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const mark of ['%23', '%2523']) {
    const answer = await client.fetch(`/upload/${'0'.repeat(26)}${mark}k1.B${'x'.repeat(86)}`);
    assert.equal(answer.status, 200, mark);
    assert.match(await answer.text(), /id="root"/);
  }
});

test('hashed assets are cached for a year and compressed; unknown ones are 404', {
  skip,
}, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const application = await (await client.fetch('/dashboard')).text();
  const [script] = /\/assets\/[\w.-]+\.js/.exec(application)!;
  for (const method of ['GET', 'HEAD']) {
    const answer = await client.fetch(script, { method, headers: { 'accept-encoding': 'br' } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(answer.headers.get('content-encoding'), 'br');
    assert.match(answer.headers.get('content-type')!, /javascript/);
  }
  assert.equal((await client.fetch('/theme.js')).headers.get('cache-control'), 'no-cache');
  for (const path of ['/assets/missing.js', '/assets/', '/assets/..%2findex.html', '/.build-stamp'])
    assert.equal((await client.fetch(path)).status, 404, path);
  assert.equal((await client.fetch('/assets//theme.js')).status, 400);
});

test('every document links the icons and the manifest, whose icons have the sizes it names', {
  skip,
}, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  for (const path of [PAGES.landing, PAGES.terms, PAGES.auth]) {
    const html = await (await client.fetch(path)).text();
    assert.match(html, /<link rel="apple-touch-icon" href="\/apple-touch-icon\.png">/, path);
    assert.match(html, /<link rel="manifest" href="\/site\.webmanifest">/, path);
  }
  const answer = await client.fetch('/site.webmanifest');
  assert.match(answer.headers.get('content-type')!, /^application\/manifest\+json/);
  const { icons, start_url, display } = (await answer.json()) as Manifest;
  assert.deepEqual([start_url, display], [PAGES.dashboard, 'standalone']);
  for (const { src, sizes } of [...icons, { src: '/apple-touch-icon.png', sizes: '180x180' }]) {
    const { format, width, height } = await sharp(await (await client.fetch(src)).arrayBuffer()).metadata();
    assert.deepEqual([format, `${width}x${height}`], ['png', sizes], src);
  }
});

type Manifest = { start_url: string; display: string; icons: { src: string; sizes: string }[] };

test('the service worker may serve every page and is checked for updates', { skip }, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const script = await client.fetch('/service-worker.js');
  assert.equal(script.status, 200);
  assert.match(script.headers.get('content-type')!, /javascript/);
  assert.equal(script.headers.get('cache-control'), 'no-cache');
  assert.match(script.headers.get('content-security-policy')!, /default-src 'self'/);
  const manifest = await client.fetch('/site.webmanifest');
  assert.match(manifest.headers.get('content-type')!, /application\/manifest\+json/);
  const { share_target: target } = (await manifest.json()) as { share_target: { action: string } };
  assert.equal(target.action, SHARE_TARGET_PATH);
  const policy = (await client.fetch(PAGES.upload)).headers.get('content-security-policy')!;
  assert.match(policy, /worker-src 'self'/);
});

test('files shared with a browser that lost its service worker lead to an explanation', {
  skip,
}, async (t) => {
  const client = (await startTestServer(t)).anonymous();
  const body = new FormData();
  body.set('files', new Blob(['photo']), 'photo.jpg');
  const answer = await client.fetch(SHARE_TARGET_PATH, { method: 'POST', body, redirect: 'manual' });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get('location'), SHARE_FAILED_PAGE);
});

const TOKEN = 'a'.repeat(26);
const RECIPIENT = 'b'.repeat(26);

test('a download page has a script-free version for the same recipient', () => {
  assert.equal(findPlainTwin(`/download/${TOKEN}`), `/download/${TOKEN}/plain`);
  assert.equal(findPlainTwin(`/download/${TOKEN}/`), `/download/${TOKEN}/plain`);
  assert.equal(
    findPlainTwin(`/download/${TOKEN}?x=1&r=${RECIPIENT}`),
    `/download/${TOKEN}/plain?r=${RECIPIENT}`,
  );
});

test('only valid tokens get into the document', () => {
  for (const url of [
    '/',
    '/download/',
    `/download/${TOKEN}/more`,
    `/download/${TOKEN}x`,
    `/download/${TOKEN.toUpperCase()}`,
    '/download/"><script>alert(1)</script>',
  ])
    assert.equal(findPlainTwin(url), undefined, url);
  assert.equal(findPlainTwin(`/download/${TOKEN}?r="><script>`), `/download/${TOKEN}/plain`);
});
