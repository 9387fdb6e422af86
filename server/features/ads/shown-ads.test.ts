import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Ad,
  getAdFileUrl,
  listActiveAds,
  listAds,
  recordAdEvent,
  toggleAd,
} from '../../../contracts/plans/ads.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { putAd } from '../../../testing/calls/ads.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { renewSessions } from '../../../testing/calls/renewed-sessions.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { fetchPicture, paint, RED } from '../../../testing/uploads/background-pictures.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { toIso } from '../../platform/lib/clock.ts';

const IMAGE = { type: 'image', title: 'Harbour tours', url: 'https://ads.example/tours' };

const NOTE = { fileName: 'note.txt', bytes: Buffer.from('note') };

const urlOf = async (client: Client, { id }: Pick<Ad, 'id'>) =>
  (await client.call(getAdFileUrl, { params: { id } })).url;
const titlesFor = async (client: Client) => (await client.call(listActiveAds)).map(({ title }) => title);

test('free users see running ads; Pro and Premium users see none, not even by ID', async (t) => {
  const server = await startTestServer(t);
  const ad = await putAd(await server.signIn('ada'), IMAGE, { file: { bytes: await paint(RED) } });
  const frida = await server.signIn('frida');
  assert.deepEqual(await titlesFor(frida), [], 'none before the first transfer');
  await sendTransfer(frida, [NOTE]);
  const [shown, ...others] = await frida.call(listActiveAds);
  assert.deepEqual(others, []);
  assert.deepEqual(shown, {
    ...IMAGE,
    id: ad.id,
    wasabiKey: ad.id,
    mimeType: 'image/webp',
    videoType: null,
    duration: 5,
    priority: 5,
  });
  assert.equal((await fetchPicture(frida, await urlOf(frida, ad))).isRed, true);
  const params = { id: ad.id };
  for (const name of ['paula', 'prem'] as const) {
    const client = await server.signIn(name);
    assert.deepEqual(await client.call(listActiveAds), []);
    await assert.rejects(client.call(getAdFileUrl, { params }), { status: 404, code: 'ad_not_found' });
    await assert.rejects(client.call(recordAdEvent, { params, body: { event: 'view' } }), { status: 404 });
  }
  await assert.rejects(server.anonymous().call(listActiveAds), { status: 401 });
});

test('start and end dates apply to the millisecond, and so does deactivation', async (t) => {
  const server = await startTestServer(t);
  const { clock } = server;
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  await sendTransfer(frida, [NOTE]);
  const now = clock.now();
  const dates = { startDate: toIso(now + MINUTE_MS), endDate: toIso(now + 2 * MINUTE_MS) };
  const ad = await putAd(ada, { ...IMAGE, ...dates }, { file: { bytes: await paint(RED) } });
  const isShown = async () => {
    const [{ isShowing }] = (await ada.call(listAds)) as [Ad];
    assert.deepEqual(await titlesFor(frida), isShowing ? [IMAGE.title] : []);
    return isShowing;
  };
  const observed = [await isShown()];
  for (const step of [MINUTE_MS - 1, 1, MINUTE_MS - 1]) {
    clock.advance(step);
    observed.push(await isShown());
  }
  assert.deepEqual(observed, [false, false, true, true]);
  await ada.call(toggleAd, { params: { id: ad.id }, body: { isActive: false } });
  assert.equal(await isShown(), false);
  await assert.rejects(urlOf(frida, ad), { status: 404 });
  await ada.call(toggleAd, { params: { id: ad.id }, body: { isActive: true } });
  assert.equal(await isShown(), true);
  clock.advance(1);
  assert.equal(await isShown(), false);
  await assert.rejects(urlOf(frida, ad), { status: 404 });
  assert.equal((await fetchPicture(ada, await urlOf(ada, ad))).status, 200, 'a preview for administrators');
});

test('views and clicks are counted at most once per minute, user and ad', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const { id } = await putAd(ada, IMAGE);
  const other = await putAd(ada, IMAGE);
  const record = (client: Client, event: 'view' | 'click', adId = id) =>
    client.call(recordAdEvent, { params: { id: adId }, body: { event } });
  const counts = async () => {
    const ads = await ada.call(listAds);
    return [id, other.id].map((each) => {
      const { views, clicks } = ads.find((ad) => ad.id === each)!;
      return [views, clicks];
    });
  };
  await Promise.all(Array.from({ length: 10 }, () => record(frida, 'view')));
  await Promise.all(Array.from({ length: 10 }, () => record(frida, 'click')));
  await record(frida, 'view', other.id);
  assert.deepEqual(await counts(), [
    [1, 1],
    [1, 0],
  ]);
  server.clock.advance(MINUTE_MS);
  await record(frida, 'view');
  const { db } = server.context;
  await db.updateTable('users').set({ tier: 'free' }).where('id', '=', server.userId('paula')).execute();
  await record(await server.signIn('paula'), 'view');
  assert.deepEqual(await counts(), [
    [3, 1],
    [1, 0],
  ]);
  await assert.rejects(record(frida, 'view', '0'.repeat(26)), { status: 404, code: 'ad_not_found' });
});

test('a file URL is valid for an hour, stable for some time, and void when expired or forged', async (t) => {
  const server = await startTestServer(t);
  const ada = await server.signIn('ada');
  const frida = await server.signIn('frida');
  const ad = await putAd(ada, IMAGE, { file: { bytes: await paint(RED) } });
  const url = await urlOf(frida, ad);
  assert.equal(await urlOf(ada, ad), url);
  const signature = url.split('/').at(-1)!;
  const [payload, expiry, proof] = signature.split('.') as [string, string, string];
  for (const forged of [`${payload}.${expiry}z.${proof}`, `${'0'.repeat(26)}.${expiry}.${proof}`, payload])
    assert.equal((await fetchPicture(frida, url.replace(signature, forged))).status, 410, forged);
  server.clock.advance(HOUR_MS - 1);
  await renewSessions(server);
  assert.equal((await fetchPicture(server.anonymous(), url)).status, 200);
  server.clock.advance(HOUR_MS);
  await renewSessions(server);
  assert.equal((await fetchPicture(frida, url)).status, 410);
  assert.notEqual(await urlOf(frida, ad), url);
  const bare = await putAd(ada, IMAGE);
  await assert.rejects(urlOf(frida, bare), { status: 404 });
});
