import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  checksumsPath,
  fileDownloadPath,
  plainSharePath,
  sharePath,
  unlockPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { DAY_MS, HOUR_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { listRecipients } from '../../transfers/mails/recipients.ts';

const FILES = [
  { path: 'notes/a.txt', bytes: 'hello world' },
  { path: '<script>alert(1)</script>.txt', bytes: 'x' },
];

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]>;

async function startWithTransfer(t: TestContext, settings: Settings = {}) {
  const server = await startTestServer(t);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: FILES,
    ...settings,
  });
  return { server, transfer, token: transfer.token };
}

async function open(client: Client, path: string) {
  const response = await client.fetch(path);
  return { response, status: response.status, page: await response.text() };
}

function post(client: Client, path: string, password: string, headers: Record<string, string> = {}) {
  return client.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: client.url, ...headers },
    body: new URLSearchParams({ password }).toString(),
  });
}

const countViews = async ({ context }: TestServer) =>
  (await context.db.selectFrom('transferViews').select('id').execute()).length;

test('an untitled transfer has the same name as on the other download page', async (t) => {
  const { server, token } = await startWithTransfer(t);
  const { page } = await open(server.anonymous(), plainSharePath(token));
  assert.ok(page.includes('<h1 dir="auto">a.txt + 1</h1>'));
});

test('without scripts the page lists links and escapes all markup', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t, {
    title: 'Plans & <i>more</i>',
    message: 'First line\n"second" <img src=x onerror=alert(1)>',
    maxDownloads: 9,
  });
  const guest = server.anonymous();
  const { response, status, page } = await open(guest, plainSharePath(token));
  assert.equal(status, 200);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('content-security-policy')!, /default-src 'none'; style-src 'self'/);
  assert.doesNotMatch(page, /<script|<img|<i>|style=|onerror=alert\(1\)>/);
  assert.match(page, /<h1 dir="auto">Plans &amp; &lt;i&gt;more&lt;\/i&gt;<\/h1>/);
  assert.match(page, /First line\n&quot;second&quot; &lt;img/);
  assert.match(page, /Download Limit: 0 \/ 9/);
  assert.match(page, /Expires November \d+, 2026 at \d+:\d\d\s[AP]M UTC/);
  const paths = [...transfer.files.map(({ id }) => fileDownloadPath(token, id)), zipDownloadPath(token)];
  for (const path of [...paths, checksumsPath(token)]) assert.ok(page.includes(`href="${path}"`), path);
  for (const path of paths) {
    const download = await guest.fetch(path);
    assert.equal(download.status, 200);
    await download.arrayBuffer();
  }
});

test('the form unlocks the transfer and reports a wrong password', async (t) => {
  const { server, token } = await startWithTransfer(t, { password: 'open sesame', title: 'Secret' });
  const guest = server.anonymous();
  const locked = await open(guest, plainSharePath(token));
  assert.equal(locked.status, 200);
  assert.doesNotMatch(locked.page, /Secret|a\.txt/);
  assert.match(locked.page, new RegExp(`<form method="post" action="${unlockPath(token)}">`));

  const wrong = await post(guest, unlockPath(token), 'guess');
  assert.equal(wrong.status, 303);
  const after = await open(guest, wrong.headers.get('location')!);
  assert.match(after.page, /Invalid password\. Please check your password and try again\./);
  const empty = await post(guest, unlockPath(token), '');
  assert.match((await open(guest, empty.headers.get('location')!)).page, /Please enter the password/);

  const right = await post(guest, unlockPath(token), 'open sesame');
  assert.equal(right.status, 303);
  assert.equal(right.headers.get('location'), plainSharePath(token));
  const { page } = await open(guest, plainSharePath(token));
  assert.match(page, /Secret/);
  const [, link] = /href="(\/api\/download\/[^"]+\/file\/[^"]+)"/.exec(page)!;
  assert.equal(await (await guest.fetch(link!)).text(), 'hello world');
});

test('cross-site forms are refused, and guessing by form is rate-limited', async (t) => {
  const { server, token } = await startWithTransfer(t, { password: 'open sesame' });
  const guest = server.anonymous();
  const foreign = await post(guest, unlockPath(token), 'open sesame', { origin: 'https://evil.example' });
  assert.equal(foreign.status, 403);
  assert.equal((await post(guest, unlockPath(token), 'x', { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.deepEqual(guest.jar.list(), []);
  for (let tries = 0; tries < 10; tries += 1) await post(guest, unlockPath(token), 'guess');
  const late = await post(guest, unlockPath(token), 'open sesame');
  assert.match((await open(guest, late.headers.get('location')!)).page, /Too many attempts/);
  const other = await guest.fetch(`/api/download/${token}/report`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'reason=other',
  });
  assert.equal(other.status, 415);
  const unknown = await post(guest, unlockPath('x'), 'guess');
  assert.equal((await guest.fetch(unknown.headers.get('location')!)).status, 404);
});

test('only known problems in the address are shown', async (t) => {
  const { server, token } = await startWithTransfer(t, { password: 'open sesame' });
  const { page } = await open(server.anonymous(), `${plainSharePath(token)}?problem=<b>pay here</b>&r=<b>`);
  assert.doesNotMatch(page, /pay here|role="alert"|<b>/);
});

test('expired, scheduled and unknown transfers say so and reveal nothing', async (t) => {
  const { server, token } = await startWithTransfer(t, {
    scheduledAvailableAt: Date.UTC(2026, 10, 15, 13),
    title: 'Plans',
  });
  const guest = server.anonymous();
  const early = await open(guest, plainSharePath(token));
  assert.equal(early.status, 200);
  assert.match(early.page, /will be available from November 15, 2026 at 1:00\sPM UTC/);
  assert.doesNotMatch(early.page, /a\.txt/);
  server.clock.advance(HOUR_MS);
  assert.match((await open(guest, plainSharePath(token))).page, /a\.txt/);
  server.clock.advance(3 * DAY_MS);
  const late = await open(guest, plainSharePath(token));
  assert.equal(late.status, 410);
  assert.match(late.page, /Transfer Expired/);
  assert.doesNotMatch(late.page, /a\.txt|Plans/);
  for (const unknown of ['0'.repeat(26), '..%2f', '<script>']) {
    const { status, page } = await open(guest, plainSharePath(unknown));
    assert.equal(status, 404, unknown);
    assert.match(page, /This transfer may have expired or been deleted\./);
    assert.doesNotMatch(page, /<script/);
  }
});

test('the plain page counts as a view and keeps the recipient in its links; HEAD does not count', async (t) => {
  const { server, transfer, token } = await startWithTransfer(t, { recipientEmails: ['rex@example.org'] });
  const [rex] = await listRecipients(server.context.db, transfer.id);
  const guest = server.anonymous();
  const path = plainSharePath(token, rex!.token);
  assert.equal((await guest.fetch(path, { method: 'HEAD' })).status, 200);
  assert.equal(await countViews(server), 0);
  const { page } = await open(guest, path);
  assert.ok(page.includes(fileDownloadPath(token, transfer.files[0]!.id, rex!.token)));
  await until(async () => (await countViews(server)) === 1);
  const [opened] = await server.context.db.selectFrom('transferRecipients').select('openedAt').execute();
  assert.notEqual(opened!.openedAt, null);
});

const skip =
  !existsSync(join(import.meta.dirname, '../../../../dist/web/index.html')) && 'the pages are not built';

test('the download page sends browsers without scripts to the plain page', { skip }, async (t) => {
  const server = await startTestServer(t);
  const [token, recipient] = ['a'.repeat(26), 'b'.repeat(26)];
  const { status, page } = await open(server.anonymous(), sharePath(token, recipient));
  assert.equal(status, 200);
  const target = plainSharePath(token, recipient);
  assert.ok(
    page.includes(`<noscript><meta http-equiv="refresh" content="0; url=${target}"></noscript></head>`),
  );
});

test("the page speaks the language of the visitor: a chosen one, or the browser's", async (t) => {
  const { server, token } = await startWithTransfer(t, { maxDownloads: 2 });
  const openIn = async (headers: Record<string, string>, path = plainSharePath(token)) => {
    const response = await server.anonymous().fetch(path, { headers });
    return { language: response.headers.get('content-language'), page: await response.text() };
  };
  const german = await openIn({ 'accept-language': 'de-AT,en;q=0.5' });
  assert.equal(german.language, 'de');
  for (const words of [
    '<html lang="de">',
    'hat Ihnen 2 Dateien gesendet, 12 B',
    'Läuft ab: ',
    'Download-Limit: 0 / 2',
  ])
    assert.ok(german.page.includes(words), words);
  assert.ok(german.page.includes('Gesendet mit <a href="/">Sendwell</a>'));
  const dutch = await openIn({ 'accept-language': 'de', cookie: 'language=nl' });
  assert.equal(dutch.language, 'nl');
  const unknown = await openIn({ 'accept-language': 'fr' }, plainSharePath('0'.repeat(26)));
  assert.match(unknown.page, /<h1 dir="auto">Transfert introuvable<\/h1>/);
  assert.equal((await openIn({ 'accept-language': 'ja' })).language, 'en');
});
