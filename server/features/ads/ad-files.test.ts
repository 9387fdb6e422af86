import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import sharp from 'sharp';
import {
  AD_IMAGE_MAX_BYTES,
  AD_VIDEO_MAX_BYTES,
  type Ad,
  createAd,
  getAdFileUrl,
  listAds,
} from '../../../contracts/plans/ads.ts';
import { makeFilm, postAd, putAd } from '../../../testing/calls/ads.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import { RawConnection, writeHead } from '../../../testing/network/raw-connection.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { fetchPicture, paint, RED } from '../../../testing/uploads/background-pictures.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

const IMAGE = { type: 'image', title: 'Harbour tours' };
const VIDEO = { type: 'video', title: 'The film' };

const urlOf = async (client: Client, { id }: Pick<Ad, 'id'>) =>
  (await client.call(getAdFileUrl, { params: { id } })).url;

async function assertNothingKept({ context }: TestServer, ada: Client): Promise<void> {
  assert.deepEqual(await readdir(join(context.config.dataDir, 'incoming')), []);
  assert.deepEqual(await Array.fromAsync(context.blobs.list()), []);
  assert.deepEqual(await ada.call(listAds), []);
}

test('a picture is re-encoded: WebP, upright, scaled down and without metadata', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const photo = await sharp(await paint(RED, { width: 4000, height: 3000 }))
    .withExif({ IFD0: { Copyright: 'a secret' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const ad = await putAd(ada, IMAGE, { file: { bytes: photo, fileName: '../../photo.exe' } });
  assert.equal(ad.filename, '.._.._photo.exe');
  const webp = { status: 200, format: 'webp', hasExif: false, isRed: true };
  assert.deepEqual(await fetchPicture(ada, await urlOf(ada, ad)), { ...webp, width: 1080, height: 1440 });
  for (const format of ['png', 'webp', 'gif', 'avif'] as const) {
    const bytes = await paint(RED, { format });
    const shown = await fetchPicture(ada, await urlOf(ada, await putAd(ada, IMAGE, { file: { bytes } })));
    assert.partialDeepStrictEqual(shown, webp, format);
  }
});

type Animation = { width: number; height: number; frames: number };

async function makeAnimation(format: 'gif' | 'webp', { width, height, frames }: Animation) {
  const pictures = await Promise.all(
    Array.from({ length: frames }, (_, index) => {
      // Encoders merge identical frames.
      const background = index % 2 === 0 ? 'red' : 'lime';
      return sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer();
    }),
  );
  const delay = pictures.map((_, index) => (index + 1) * 20);
  const joined = sharp(pictures, { join: { animated: true }, limitInputPixels: false });
  return joined.toFormat(format, { delay, loop: 2 }).toBuffer();
}

test('an animated picture is scaled down and keeps its frames and delays', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const format of ['gif', 'webp'] as const) {
    const bytes = await makeAnimation(format, { width: 3_000, height: 600, frames: 3 });
    const shown = await ada.fetch(await urlOf(ada, await putAd(ada, IMAGE, { file: { bytes } })));
    const { width, height, pages, delay, loop } = await sharp(await shown.bytes()).metadata();
    assert.deepEqual(
      { width, height, pages, delay, loop },
      { width: 2_560, height: 512, pages: 3, delay: [20, 40, 60], loop: 2 },
      format,
    );
  }
});

test('an animation with too many frames is refused with an explanation', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const bytes = await makeAnimation('gif', { width: 8, height: 8, frames: 501 });
  const response = await postAd(ada, IMAGE, { file: { bytes } });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /^This animation is too large\. Use fewer frames or a smaller size/);
  await assertNothingKept(server, ada);
});

test('a video is served unchanged, in ranges, typed by its bytes and sandboxed', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const kind of ['mp4', 'webm'] as const) {
    // More bytes than one network chunk.
    const bytes = makeFilm(kind, 11_000_000);
    const ad = await putAd(ada, VIDEO, { file: { bytes, fileName: 'page.html' } });
    assert.partialDeepStrictEqual(ad, { mimeType: `video/${kind}`, size: bytes.length });
    const url = await urlOf(ada, ad);
    const whole = await server.anonymous().fetch(url);
    assert.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes));
    const { etag, ...headers } = Object.fromEntries(whole.headers);
    assert.partialDeepStrictEqual(headers, {
      'content-type': `video/${kind}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'content-disposition': `inline; filename="ad.${kind}"; filename*=UTF-8''ad.${kind}`,
      'cache-control': 'private, max-age=3600',
      'accept-ranges': 'bytes',
    });
    const part = await ada.fetch(url, { headers: { range: 'bytes=6000000-6000099', 'if-range': etag! } });
    assert.equal(part.status, 206);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(6_000_000, 6_000_100)));
    assert.equal((await ada.fetch(url, { headers: { 'if-none-match': etag! } })).status, 304);
    assert.equal((await ada.fetch(url, { headers: { range: 'bytes=99999999-' } })).status, 416);
    assert.equal((await ada.fetch(url, { method: 'HEAD' })).status, 200);
  }
});

test('files that are neither pictures nor videos are refused with an explanation and leave nothing behind', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const png = await paint(RED);
  const hostile: Record<string, Buffer | string> = {
    'script.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'page.png': '<!doctype html><script>alert(1)</script>',
    'paper.pdf': '%PDF-1.4\n1 0 obj<<>>endobj',
    'sound.mp3': 'ID3',
    'noise.mp4': makeBytes(5_000),
    'apple.mov': Buffer.from('\0\0\0\x14ftypqt  \0\0\x02\0qt  ', 'latin1'),
    'film.mkv': Buffer.from('\x1aE\xdf\xa3\x8bB\x82\x88matroska', 'latin1'),
    'empty.png': '',
  };
  for (const [fileName, bytes] of Object.entries(hostile)) {
    for (const fields of [IMAGE, VIDEO]) {
      const response = await postAd(ada, fields, { file: { bytes, fileName } });
      assert.deepEqual(
        [response.status, await response.text()],
        [400, 'Please select an image or a video file'],
        fileName,
      );
    }
  }
  const refusals: [object, Buffer, string][] = [
    [VIDEO, png, 'The file is an image. Please select a video file, or change the type of the ad.'],
    [
      IMAGE,
      makeFilm('mp4'),
      'The file is a video. Please select an image file, or change the type of the ad.',
    ],
    [
      IMAGE,
      png.subarray(0, 60),
      'This picture is damaged or has too many pixels. Please select another image file.',
    ],
  ];
  for (const [fields, bytes, sentence] of refusals) {
    const response = await postAd(ada, { ...fields }, { file: { bytes } });
    assert.deepEqual([response.status, await response.text()], [400, sentence]);
  }
  assert.equal((await postAd(ada, IMAGE, { file: { bytes: png, field: 'picture' } })).status, 400);
  await assertNothingKept(server, ada);
});

test(
  'pictures of 20 MiB and videos of 200 MiB are accepted; one byte more is refused',
  onlyInAll,
  async (t) => {
    const server = await startTestServer(t);
    const ada = await server.signIn('ada');
    const png = await paint(RED);
    const padded = (sizeBytes: number) => Buffer.concat([png, Buffer.alloc(sizeBytes - png.length)]);
    const refuse = async (fields: object, bytes: Buffer, sentence: string) => {
      const response = await postAd(ada, { ...fields }, { file: { bytes } });
      assert.deepEqual([response.status, await response.text()], [413, sentence]);
    };
    await refuse(IMAGE, padded(AD_IMAGE_MAX_BYTES + 1), 'Please choose an image of at most 20 MB.');
    const film = Buffer.concat([makeFilm('mp4'), Buffer.alloc(AD_VIDEO_MAX_BYTES - 1_999)]);
    await refuse(VIDEO, film, 'Please choose a video of at most 200 MB.');
    await assertNothingKept(server, ada);
    await putAd(ada, IMAGE, { file: { bytes: padded(AD_IMAGE_MAX_BYTES) } });
    const { size } = await putAd(ada, VIDEO, { file: { bytes: film.subarray(0, -1) } });
    assert.equal(size, AD_VIDEO_MAX_BYTES);
  },
);

test('a malformed form is a client error and leaves nothing behind', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const part = (head: string, body = 'x') => `--b\r\n${head}\r\n\r\n${body}\r\n`;
  const file = part('content-disposition: form-data; name="file"; filename="a.png"');
  const field = (name: string, body?: string) => part(`content-disposition: form-data; name="${name}"`, body);
  const bare = field('type', 'image') + field('title');
  const good = bare + field('url', 'https://ads.example');
  const end = '--b--\r\n';
  const forms: [string, string][] = [
    ['multipart/form-data', good],
    ['multipart/form-data; boundary=b', ''],
    ['multipart/form-data; boundary=b', good + file],
    ['multipart/form-data; boundary=b', good + file.slice(0, 30)],
    ['multipart/form-data; boundary=b', good + field('__proto__') + end],
    ['multipart/form-data; boundary=b', good + file.repeat(2) + end],
    ['multipart/form-data; boundary=b', good + field('n').repeat(50) + end],
    ['multipart/form-data; boundary=b', `${good}${field('title', '\0x')}${end}`],
    ['multipart/form-data; boundary=b', `${good}${field('title', 'y'.repeat(100_000))}${end}`],
    ['multipart/form-data; boundary=b', `${good}${field('url', `https://a/${'y'.repeat(100_000)}`)}${end}`],
    ['multipart/form-data; boundary=b', bare + part(`x: ${'y'.repeat(100_000)}`) + end],
    [
      'multipart/form-data; boundary=b',
      `${bare}${part(`content-disposition: form-data; name="file"; filename*=utf-8''${'%'.repeat(20_000)}`)}${end}`,
    ],
  ];
  const send = (contentType: string, body: string) =>
    ada.fetch(createAd.path, { method: 'POST', headers: { 'content-type': contentType }, body });
  for (const [contentType, body] of forms) {
    const response = await send(contentType, body);
    assert.equal(response.status, 400, `${body.slice(-200)}: ${await response.text()}`);
  }
  assert.equal((await send('application/octet-stream', 'x')).status, 415);
  assert.equal((await send('application/json', '{}')).status, 415);
  await assertNothingKept(server, ada);
  assert.equal((await send('multipart/form-data; boundary=b', good + end)).status, 201);
});

test('aborted and forbidden uploads leave neither a file nor a blob', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const head =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n';
  for (const rudely of [false, true]) {
    const line = new RawConnection(Number(new URL(server.url).port));
    await line.write(
      writeHead(`POST ${createAd.path}`, {
        cookie: ada.jar.headerFor(createAd.path)!,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': 5_000_000,
      }) + head,
    );
    await line.write(makeBytes(1_000_000));
    line.vanish({ rudely });
  }
  for (const name of ['frida', 'prem'] as const) {
    const response = await postAd(await server.signIn(name), IMAGE, { file: { bytes: await paint(RED) } });
    assert.equal(response.status, 403);
  }
  await until(async () => (await readdir(join(server.context.config.dataDir, 'incoming'))).length === 0);
  await assertNothingKept(server, ada);
});
