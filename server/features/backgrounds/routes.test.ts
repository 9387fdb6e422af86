import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import sharp from 'sharp';
import {
  BACKGROUND_MAX_BYTES,
  getBackgroundUrl,
  getDownloadBackgroundUrl,
  removeBackground,
} from '../../../contracts/accounts/backgrounds.ts';
import { deleteAccount } from '../../../contracts/accounts/settings.ts';
import { verifyDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { PASSWORD } from '../../../testing/cast.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import { live } from '../../../testing/live.ts';
import { RawConnection, writeHead } from '../../../testing/network/raw-connection.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import {
  BLUE,
  fetchPicture,
  paint,
  post,
  RED,
  setPicture,
} from '../../../testing/uploads/background-pictures.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

const FILES = [{ path: 'a.txt', bytes: 'a' }];

const countBlobs = async ({ context }: TestServer) => (await Array.fromAsync(context.blobs.list())).length;
const listIncoming = ({ context }: TestServer) => readdir(join(context.config.dataDir, 'incoming'));

async function assertNothingKept(server: TestServer): Promise<void> {
  assert.deepEqual(await listIncoming(server), []);
  assert.equal(await countBlobs(server), 0);
}

test('a Premium user sets a background, recipients see it, and replacing or removing it revokes its URL', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const visitor = server.anonymous();
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    files: FILES,
  });
  const readBackgroundUrl = async () =>
    (await visitor.call(getDownloadBackgroundUrl, { params: { token } })).url;
  assert.equal(await readBackgroundUrl(), null);

  const first = await setPicture(prem, await paint(RED));
  assert.equal(await readBackgroundUrl(), first);
  assert.deepEqual(await prem.call(getBackgroundUrl), { url: first });
  assert.equal((await fetchPicture(visitor, first)).isRed, true);

  const second = await setPicture(prem, await paint(BLUE));
  assert.equal((await fetchPicture(visitor, first)).status, 410);
  assert.equal((await fetchPicture(visitor, second)).isRed, false);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 2, 'the transfer and one background');

  await prem.call(removeBackground);
  await prem.call(removeBackground);
  assert.equal((await fetchPicture(visitor, second)).status, 410);
  assert.equal(await readBackgroundUrl(), null);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);
  assert.deepEqual(await listIncoming(server), []);
});

test('a picture is rotated upright, scaled down and stripped of metadata', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const photo = await sharp(await paint(RED, { width: 4000, height: 3000 }))
    .withExif({ IFD0: { Copyright: 'a secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const url = await setPicture(prem, photo, 'IMG_1.jpg');
  const webp = { status: 200, format: 'webp', hasExif: false, isRed: true };
  assert.deepEqual(await fetchPicture(prem, url), { ...webp, width: 1920, height: 2560 });
  assert.deepEqual(await fetchPicture(prem, `${url}?size=large`), { ...webp, width: 1920, height: 2560 });
  assert.deepEqual(await fetchPicture(prem, `${url}?size=small`), { ...webp, width: 1080, height: 1440 });
  assert.equal((await prem.fetch(`${url}?size=huge`)).status, 400);
});

test('wide pictures are scaled to at most 2,560 pixels; small ones keep their size', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const wide = await setPicture(prem, await paint(BLUE, { width: 6000, height: 2000 }));
  assert.deepEqual(
    [(await fetchPicture(prem, wide)).width, (await fetchPicture(prem, `${wide}?size=small`)).width],
    [2560, 1080],
  );
  const small = await setPicture(prem, await paint(BLUE, { width: 300, height: 200 }));
  assert.deepEqual(
    [(await fetchPicture(prem, small)).width, (await fetchPicture(prem, `${small}?size=small`)).width],
    [300, 300],
  );
});

test('every common raster format is accepted under any file name', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    const url = await setPicture(prem, await paint(RED, { format }), 'no-picture.txt');
    assert.equal((await fetchPicture(prem, url)).format, 'webp', format);
  }
});

test('files that are not raster pictures are refused and leave nothing behind', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const png = await paint(RED);
  const hostile: Record<string, Buffer | string> = {
    'script.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'page.png': '<!doctype html><script>alert(1)</script>',
    'paper.pdf': '%PDF-1.4\n1 0 obj<<>>endobj',
    'noise.jpg': makeBytes(5_000),
    'empty.png': '',
  };
  for (const [fileName, bytes] of Object.entries(hostile)) {
    const response = await post(prem, bytes, { fileName });
    assert.deepEqual(
      [response.status, await response.text()],
      [400, 'Please select an image file'],
      fileName,
    );
  }
  const cut = await post(prem, png.subarray(0, 60), { fileName: 'cut.png' });
  assert.deepEqual(
    [cut.status, await cut.text()],
    [400, 'This picture is damaged or has too many pixels. Please select another image file.'],
  );
  assert.equal((await post(prem, png, { field: 'picture' })).status, 400);
  await assertNothingKept(server);
});

test('20 MiB are accepted; one byte more is refused while it arrives', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const png = await paint(RED);
  const padded = (sizeBytes: number) => Buffer.concat([png, Buffer.alloc(sizeBytes - png.length)]);
  assert.equal((await post(prem, padded(BACKGROUND_MAX_BYTES + 1))).status, 413);
  const refused = await post(prem, padded(BACKGROUND_MAX_BYTES + 9_000_000));
  assert.deepEqual([refused.status, await refused.text()], [413, 'Please choose an image of at most 20 MB.']);
  await assertNothingKept(server);
  assert.equal((await post(prem, padded(BACKGROUND_MAX_BYTES))).status, 200);
});

test('Free and Pro users can’t set a background; a downgrade hides it, and its owner can remove it', async (t) => {
  const server = await startTestServer(t);
  const png = await paint(RED);
  for (const name of ['frida', 'paula'] as const) {
    const response = await post(await server.signIn(name), png);
    assert.deepEqual(
      [response.status, await response.text()],
      [402, 'A custom background is part of the Premium plan. Upgrade to use it.'],
    );
  }
  assert.equal((await post(server.anonymous(), png)).status, 401);
  await assertNothingKept(server);

  const prem = await server.signIn('prem');
  const url = await setPicture(prem, png);
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    files: FILES,
  });
  const setTier = (tier: 'pro' | 'premium') =>
    server.context.db.updateTable('users').set({ tier }).where('id', '=', server.userId('prem')).execute();
  const readBackgroundUrl = () => server.anonymous().call(getDownloadBackgroundUrl, { params: { token } });
  await setTier('pro');
  assert.deepEqual([await readBackgroundUrl(), (await fetchPicture(prem, url)).status], [{ url: null }, 410]);
  await setTier('premium');
  assert.deepEqual([await readBackgroundUrl(), (await fetchPicture(prem, url)).status], [{ url }, 200]);
  await setTier('pro');
  await prem.call(removeBackground);
  await setTier('premium');
  assert.deepEqual(await readBackgroundUrl(), { url: null });
});

test('the background is shown before the password and the scheduled time, but not after expiry', async (t) => {
  const server = await startTestServer(t);
  const { context, clock } = server;
  const userId = server.userId('prem');
  const url = await setPicture(await server.signIn('prem'), await paint(RED));
  const make = (more: object) => createReadyTransfer(context, { userId, files: FILES, ...more });
  const visitor = server.anonymous();
  const readBackgroundUrl = async (token: string) =>
    (await visitor.call(getDownloadBackgroundUrl, { params: { token } })).url;
  const locked = await make({ password: 'open sesame' });
  const scheduled = await make({ scheduledAvailableAt: clock.now() + DAY_MS });
  const short = await make({ expiresAt: clock.now() + MINUTE_MS });
  assert.deepEqual(
    [
      await readBackgroundUrl(locked.token),
      await readBackgroundUrl(scheduled.token),
      await readBackgroundUrl(short.token),
    ],
    [url, url, url],
  );
  await visitor.call(verifyDownload, { params: { token: locked.token }, body: { password: 'open sesame' } });
  assert.equal(await readBackgroundUrl(locked.token), url);
  clock.advance(MINUTE_MS);
  assert.equal(await readBackgroundUrl(short.token), null);
  await assert.rejects(readBackgroundUrl('0'.repeat(26)), { status: 404 });
  const ofPaula = await make({ userId: server.userId('paula') });
  assert.equal(await readBackgroundUrl(ofPaula.token), null);
});

test('requesting the background counts as neither a view nor a download', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const url = await setPicture(await server.signIn('prem'), await paint(RED));
  const { token } = await createReadyTransfer(server.context, {
    userId: server.userId('prem'),
    files: FILES,
  });
  await server.anonymous().call(getDownloadBackgroundUrl, { params: { token } });
  await fetchPicture(server.anonymous(), url);
  for (const table of ['transferViews', 'downloads'] as const) {
    assert.deepEqual(await db.selectFrom(table).select('id').execute(), [], table);
  }
});

test('a background URL is cacheable, and void when expired, forged or signed for another purpose', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const visitor = server.anonymous();
  const url = await setPicture(prem, await paint(RED));
  const answer = await visitor.fetch(url);
  const { etag, ...headers } = Object.fromEntries(answer.headers);
  assert.equal(headers['content-type'], 'image/webp');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['content-security-policy'], 'sandbox');
  assert.equal(headers['cache-control'], 'private, max-age=3600');
  assert.equal((await visitor.fetch(url, { headers: { 'if-none-match': etag! } })).status, 304);
  assert.equal((await visitor.fetch(url, { method: 'HEAD' })).status, 200);

  const signature = url.split('/').at(-1)!;
  const [payload, expiry, proof] = signature.split('.') as [string, string, string];
  const forgeries = [
    [payload, expiry, `A${proof.slice(1)}`],
    [payload, `${expiry}z`, proof],
    ['0'.repeat(26), expiry, proof],
    [payload, expiry],
    [payload, expiry, proof, proof],
    ['..%2f..%2fetc', 'passwd'],
  ].map((parts) => parts.join('.'));
  for (const forged of forgeries.filter((each) => each !== signature)) {
    const response = await visitor.fetch(url.replace(signature, forged));
    assert.equal(response.status, 410, forged);
  }

  server.clock.advance(HOUR_MS - 1);
  assert.equal((await fetchPicture(visitor, url)).status, 200);
  server.clock.advance(HOUR_MS);
  assert.equal((await fetchPicture(visitor, url)).status, 410);
  const { url: next } = await prem.call(getBackgroundUrl);
  assert.notEqual(next, url);
  assert.equal((await fetchPicture(visitor, next!)).status, 200);
});

test('two requests within a short time return the same URL', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const url = await setPicture(prem, await paint(RED));
  assert.equal((await prem.call(getBackgroundUrl)).url, url);
});

test('of concurrent uploads one is kept, and the bytes of the others are removed', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const png = await paint(RED);
  const urls = await Promise.all(Array.from({ length: 6 }, () => setPicture(prem, png)));
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);
  assert.deepEqual(await listIncoming(server), []);
  const { url } = await prem.call(getBackgroundUrl);
  assert.equal((await fetchPicture(prem, url!)).status, 200);
  assert.ok(urls.length === 6);
});

test('a malformed form is a client error, and an aborted one leaves nothing behind', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const send = (contentType: string, body: string) =>
    prem.fetch('/api/user/background', { method: 'POST', headers: { 'content-type': contentType }, body });
  const part = (head: string, body = 'x') => `--b\r\n${head}\r\n\r\n${body}\r\n`;
  const disposition = 'content-disposition: form-data; name="background"; filename="a.png"';
  const forms: [string, string][] = [
    ['multipart/form-data', part(disposition)],
    ['multipart/form-data; boundary=b', ''],
    ['multipart/form-data; boundary=b', part(disposition)],
    ['multipart/form-data; boundary=b', part(disposition).slice(0, 30)],
    [
      'multipart/form-data; boundary=b',
      `${part('content-disposition: form-data; name="__proto__"')}--b--\r\n`,
    ],
    ['multipart/form-data; boundary=b', `${part(disposition).repeat(3)}--b--\r\n`],
    [
      'multipart/form-data; boundary=b',
      `${part('content-disposition: form-data; name="n"').repeat(50)}--b--\r\n`,
    ],
    ['multipart/form-data; boundary=b', `${part(`x: ${'y'.repeat(100_000)}`)}--b--\r\n`],
    [
      'multipart/form-data; boundary=b',
      `${part(`content-disposition: form-data; name="background"; filename*=utf-8''${'%'.repeat(9_000)}`)}--b--\r\n`,
    ],
  ];
  for (const [contentType, body] of forms) {
    const response = await send(contentType, body);
    assert.equal(response.status, 400, `${contentType} ${body.slice(0, 80)}: ${await response.text()}`);
  }
  assert.equal((await send('application/octet-stream', 'x')).status, 415);
  assert.equal((await send('application/json', '{}')).status, 415);
  await assertNothingKept(server);
});

test('an aborted upload leaves neither a file nor a blob', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const head =
    '--b\r\ncontent-disposition: form-data; name="background"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n';
  for (const rudely of [false, true]) {
    const line = new RawConnection(Number(new URL(server.url).port));
    await line.write(
      writeHead('POST /api/user/background', {
        cookie: prem.jar.headerFor('/api/user/background')!,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': 5_000_000,
      }) + head,
    );
    await line.write(makeBytes(1_000_000));
    await until(async () => (await listIncoming(server)).length === 1);
    line.vanish({ rudely });
    await until(async () => (await listIncoming(server)).length === 0);
  }
  assert.equal(await countBlobs(server), 0);
});

test('deleting an account deletes its background', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const url = await setPicture(prem, await paint(RED));
  await prem.call(deleteAccount, { body: { password: PASSWORD } });
  assert.equal((await fetchPicture(server.anonymous(), url)).status, 410);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 0);
});

test('the orphan sweep keeps backgrounds', async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  await setPicture(prem, await paint(RED));
  await live(server, 5 * DAY_MS);
  const again = await server.signIn('prem');
  const { url } = await again.call(getBackgroundUrl);
  assert.equal((await fetchPicture(again, url!)).status, 200);
});

test('uploads are limited to sixty per hour', onlyInAll, async (t) => {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  for (let tries = 0; tries < 60; tries += 1) await post(prem, 'x');
  assert.equal((await post(prem, 'x')).status, 429);
  server.clock.advance(HOUR_MS);
  assert.equal((await post(prem, 'x')).status, 400);
});
