import assert from 'node:assert/strict';
import test from 'node:test';
import { type Ad, deleteAd, getAdFileUrl, listAds, toggleAd } from '../../../contracts/plans/ads.ts';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { makeFilm, postAd, putAd } from '../../../testing/calls/ads.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { live } from '../../../testing/live.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { BLUE, fetchPicture, paint, RED } from '../../../testing/uploads/background-pictures.ts';
import { toIso } from '../../platform/lib/clock.ts';

const IMAGE = { type: 'image', title: 'Harbour tours', url: 'https://ads.example/tours' };
const VIDEO = { ...IMAGE, type: 'video', title: 'The film' };

const countBlobs = async ({ context }: TestServer) => (await Array.fromAsync(context.blobs.list())).length;
const urlOf = async (client: Client, { id }: Pick<Ad, 'id'>) =>
  (await client.call(getAdFileUrl, { params: { id } })).url;

test('an ad has all its fields; by default duration and priority are 5 and it is active', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const { id, createdAt, wasabiKey, size, ...plain } = await putAd(ada, IMAGE, {
    file: { bytes: await paint(RED), fileName: 'tours.png' },
  });
  assert.equal(createdAt, toIso(server.clock.now()));
  assert.ok(wasabiKey && size! > 0);
  assert.deepEqual(plain, {
    ...IMAGE,
    linkUrl: IMAGE.url,
    filename: 'tours.png',
    mimeType: 'image/webp',
    videoType: null,
    duration: 5,
    priority: 5,
    startDate: null,
    endDate: null,
    isActive: true,
    isShowing: true,
    views: 0,
    clicks: 0,
  });
  const film = { ...VIDEO, videoType: 'video/webm', duration: 30, priority: 10, isActive: false };
  const dates = { startDate: '2030-01-01T00:00:00+01:00', endDate: '2030-02-01T00:00:00Z' };
  const second = await putAd(ada, { ...film, ...dates }, { file: { bytes: makeFilm('webm') } });
  assert.partialDeepStrictEqual(second, {
    ...film,
    startDate: '2029-12-31T23:00:00.000Z',
    endDate: '2030-02-01T00:00:00.000Z',
    mimeType: 'video/webm',
    isShowing: false,
  });
  server.clock.advance(1);
  const third = await putAd(ada, IMAGE);
  assert.partialDeepStrictEqual(third, { wasabiKey: null, filename: null, mimeType: null, size: null });
  assert.deepEqual(
    new Set((await ada.call(listAds)).slice(1).map((ad) => ad.id)),
    new Set([id, second.id]),
    'the newest is first',
  );
});

test('an ad requires a title, a file or URL, valid numbers and ordered dates, and errors name the field', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const refusals: [object, string, object][] = [
    [{ title: ' ' }, 'invalid_input', { title: 'Title is required' }],
    [{ type: 'banner' }, 'invalid_input', { type: 'Invalid option: expected one of "image"|"video"' }],
    [{ duration: 0 }, 'invalid_input', { duration: 'Please enter at least 1 second' }],
    [{ duration: 61 }, 'invalid_input', { duration: 'Please enter at most 60 seconds' }],
    [{ duration: 'long' }, 'invalid_input', { duration: 'Expected number, received NaN' }],
    [{ priority: 11 }, 'invalid_input', { priority: 'Please enter 1 to 10' }],
    [{ priority: 0 }, 'invalid_input', { priority: 'Please enter 1 to 10' }],
    [{ startDate: 'soon' }, 'invalid_input', { startDate: 'Please enter a date and time.' }],
    ...['javascript:alert(1)', 'ftp://ads.example', 'ads.example', '//ads.example', 'data:text/html,x'].map(
      (url): [object, string, object] => [
        { url },
        'invalid_input',
        { url: 'Please enter an address that begins with https://' },
      ],
    ),
    [{ url: '' }, 'ad_needs_content', {}],
    [{ startDate: '2030-01-02T00:00:00Z', endDate: '2030-01-02T00:00:00Z' }, 'ad_dates_reversed', {}],
  ];
  const kept = await putAd(ada, IMAGE);
  for (const [fields, code, errors] of refusals) {
    for (const id of [undefined, kept.id]) {
      const response = await postAd(
        withJson(ada),
        { ...IMAGE, ...fields },
        { ...(id !== undefined && { id }) },
      );
      const problem = (await response.json()) as { code: string; errors?: object };
      assert.deepEqual(
        [response.status, problem.code, problem.errors ?? {}],
        [400, code, errors],
        JSON.stringify(fields),
      );
    }
  }
  assert.deepEqual(await ada.call(listAds), [kept]);
});

test('a URL is stored as browsers normalize it, and the server never requests it', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  for (const [url, kept] of [
    [`${server.url}/api/tier-config`, `${server.url}/api/tier-config`],
    ['https://ads.example/\0\ud800"><script>', 'https://ads.example/%00%EF%BF%BD%22%3E%3Cscript%3E'],
    ['HTTPS://Bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ])
    assert.equal((await putAd(ada, { ...IMAGE, url: url! })).url, kept);
});

test('changing an ad replaces its fields and keeps its file; a new file revokes the old URL', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const ad = await putAd(
    ada,
    { ...IMAGE, priority: 9, duration: 9, isActive: false, endDate: '2040-01-01T00:00:00Z' },
    { file: { bytes: await paint(RED), fileName: 'red.png' } },
  );
  const { id } = ad;
  const same = await putAd(ada, { type: 'image', title: 'Other tours' }, { id });
  assert.deepEqual(same, {
    ...ad,
    ...{ title: 'Other tours', url: null, linkUrl: null, priority: 5, duration: 5, endDate: null },
  });
  const first = await urlOf(ada, ad);
  const changed = await putAd(
    ada,
    { ...IMAGE, isActive: true },
    { id, file: { bytes: await paint(BLUE), fileName: 'blue.png' } },
  );
  assert.partialDeepStrictEqual(changed, { filename: 'blue.png', isActive: true });
  assert.equal((await fetchPicture(frida, first)).status, 410);
  assert.equal((await fetchPicture(frida, await urlOf(frida, ad))).isRed, false);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);

  const asVideo = await postAd(ada, VIDEO, { id });
  assert.deepEqual(
    [asVideo.status, await asVideo.text()],
    [400, 'The file is an image. Please select a video file, or change the type of the ad.'],
  );
  await putAd(ada, VIDEO, { id, file: { bytes: makeFilm('mp4') } });
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);

  await ada.call(deleteAd, { params: { id } });
  await server.drainJobs();
  assert.equal(await countBlobs(server), 0);
  assert.deepEqual(await ada.call(listAds), []);
  const params = { id };
  await assert.rejects(ada.call(deleteAd, { params }), { status: 404, code: 'ad_not_found' });
  await assert.rejects(ada.call(toggleAd, { params, body: { isActive: true } }), { status: 404 });
  assert.equal((await postAd(ada, IMAGE, { id, file: { bytes: await paint(RED) } })).status, 404);
  assert.equal(await countBlobs(server), 0);
});

test('changes to ads are recorded in the audit log, refused ones are not', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const { id } = await putAd(ada, IMAGE, { file: { bytes: await paint(RED), fileName: 'red.png' } });
  await postAd(ada, { ...IMAGE, priority: 99 }, { id });
  server.clock.advance(1);
  await putAd(ada, { ...IMAGE, title: 'Other tours' }, { id });
  server.clock.advance(1);
  await ada.call(toggleAd, { params: { id }, body: { isActive: false } });
  server.clock.advance(1);
  await ada.call(deleteAd, { params: { id } });
  await ada.call(deleteAd, { params: { id } }).catch(() => undefined);
  const rows = await server.context.db.selectFrom('auditLog').selectAll().orderBy('at').execute();
  assert.deepEqual(
    rows.map(({ action, subject, subjectId, details }) => [action, subject, subjectId, JSON.parse(details)]),
    [
      ['ad.create', IMAGE.title, id, { type: 'image', url: IMAGE.url, file: 'red.png' }],
      ['ad.update', 'Other tours', id, { type: 'image', url: IMAGE.url }],
      ['ad.toggle', 'Other tours', id, { isActive: false }],
      ['ad.delete', 'Other tours', id, {}],
    ],
  );
});

test('concurrent changes and deletions are serialized, and no file is left over or missing', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const [red, blue] = await Promise.all([paint(RED), paint(BLUE)]);
  const { id } = await putAd(ada, IMAGE, { file: { bytes: red } });
  const params = { id };
  await Promise.all([
    ...[red, blue, red, blue].map((bytes) => putAd(ada, IMAGE, { id, file: { bytes } })),
    ...[true, false, true].map((isActive) => ada.call(toggleAd, { params, body: { isActive } })),
  ]);
  await server.drainJobs();
  assert.equal(await countBlobs(server), 1);
  assert.equal((await fetchPicture(ada, await urlOf(ada, { id }))).status, 200);

  const outcomes = await Promise.all([
    ...Array.from({ length: 3 }, () => settle(ada.call(deleteAd, { params }))),
    ...[true, false].map((isActive) => settle(ada.call(toggleAd, { params, body: { isActive } }))),
    settle(putAd(ada, IMAGE, { id, file: { bytes: blue } })),
  ]);
  assert.equal(outcomes.slice(0, 3).filter((outcome) => outcome === 'done').length, 1);
  assert.ok(
    outcomes.every((outcome) => ['done', 404].includes(outcome)),
    JSON.stringify(outcomes),
  );
  await server.drainJobs();
  assert.equal(await countBlobs(server), 0);
  assert.deepEqual(await ada.call(listAds), []);
});

test('the orphan sweep keeps the files of ads', async (t) => {
  const server = await startTestServer(t);
  const ad = await putAd(await server.signIn('ada'), VIDEO, { file: { bytes: makeFilm('mp4') } });
  await live(server, 5 * DAY_MS);
  const ada = await server.signIn('ada');
  assert.equal((await ada.fetch(await urlOf(ada, ad))).status, 200);
});

async function settle(work: Promise<unknown>): Promise<'done' | number> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return (error as { status?: number }).status ?? Number((error as Error).message.slice(0, 3));
  }
}

function withJson(client: Client): Client {
  return Object.assign(Object.create(client) as Client, {
    fetch: (path: string, init: RequestInit) =>
      client.fetch(path, { ...init, headers: { accept: 'application/json' } }),
  });
}
