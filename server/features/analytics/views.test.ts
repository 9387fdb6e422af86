import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { Client } from '../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { until } from '../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { createApp } from '../../app.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';
import { RecentVisitors, VIEW_WINDOW_MS } from './views.ts';

const FIREFOX = { 'user-agent': 'Firefox' };

async function startWithTransfer(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  const path = `/api/download/${transfer.token}`;
  const visit = async (headers: Record<string, string> = FIREFOX, client: Client = server.anonymous()) =>
    assert.equal((await client.fetch(path, { headers })).status, 200);
  return { server, transfer, path, visit };
}

const listViews = ({ context }: TestServer) =>
  context.db.selectFrom('transferViews').selectAll().orderBy('viewedAt').execute();

/** Views are stored after the response, so this adds one by a new visitor, waits for it and does not count it. */
async function countViews(
  server: TestServer,
  visit: (headers: Record<string, string>) => Promise<void>,
): Promise<number> {
  const userAgent = `last ${randomId()}`;
  await visit({ 'user-agent': userAgent });
  await until(async () => (await listViews(server)).some((view) => view.userAgent === userAgent));
  return (await listViews(server)).filter((view) => !view.userAgent?.startsWith('last')).length;
}

test('only the first page view per visitor and half hour counts', async (t) => {
  const { server, visit } = await startWithTransfer(t);
  await Promise.all(Array.from({ length: 20 }, () => visit()));
  assert.equal(await countViews(server, visit), 1);
  server.clock.advance(30 * MINUTE_MS - 1);
  await visit();
  assert.equal(await countViews(server, visit), 1);
  server.clock.advance(1);
  await visit();
  assert.equal(await countViews(server, visit), 2);
  await visit({ 'user-agent': 'Chrome' });
  assert.equal(await countViews(server, visit), 3);
});

test('the half hour is a sliding window, even for a restarted server', async (t) => {
  const { server, transfer, visit } = await startWithTransfer(t);
  const restart = async () => {
    const app = await createApp({ ...server.context, metrics: new Metrics() });
    await app.listen({ host: '127.0.0.1', port: 0 });
    t.after(() => app.close());
    const client = new Client(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    return async (headers: Record<string, string> = FIREFOX) => {
      assert.equal((await client.fetch(`/api/download/${transfer.token}`, { headers })).status, 200);
    };
  };
  server.clock.advance(20 * MINUTE_MS);
  await visit();
  for (const [minutes, views] of [
    [29, 1],
    [1, 2],
    [15, 2],
    [14, 2],
    [1, 3],
  ] as const) {
    server.clock.advance(minutes * MINUTE_MS);
    const visitAgain = await restart();
    await visitAgain();
    assert.equal(await countViews(server, visitAgain), views, `after ${minutes} more minutes`);
  }
});

test('requests to several processes record one view', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const starting = [1, 2, 3, 4].map(async () => {
    const app = await createApp({ ...server.context, metrics: new Metrics() });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const client = new Client(`http://127.0.0.1:${port}`);
    return { app, visit: () => client.fetch(`/api/download/${transfer.token}`, { headers: FIREFOX }) };
  });
  const apps = await Promise.all(starting);
  await Promise.all(apps.flatMap(({ visit }) => [visit(), visit(), visit()]));
  await Promise.all(apps.map(({ app }) => app.close()));
  assert.equal((await listViews(server)).length, 1);
});

test('a view records time, referer and browser, without the referer’s query', async (t) => {
  const { server, transfer, visit } = await startWithTransfer(t);
  await visit({ ...FIREFOX, referer: 'https://mail.example/inbox/7?session=secret#top' });
  await visit({ 'user-agent': 'Chrome', referer: `${server.context.config.publicUrl}/download/x?r=secret` });
  await visit({ 'user-agent': `Safari ${'x'.repeat(5_000)}`, referer: 'javascript:alert(1)' });
  assert.equal(await countViews(server, visit), 3);
  const [firefox, chrome, safari] = ['Firefox', 'Chrome', 'Safari'].map(
    (name) => (view: { userAgent: string | null }) => view.userAgent!.startsWith(name),
  );
  const views = await listViews(server);
  const view = views.find(firefox!)!;
  assert.equal(view.transferId, transfer.id);
  assert.equal(view.viewedAt, server.clock.now());
  assert.equal(view.ipAddress, '127.0.0.1');
  assert.deepEqual([view.country, view.city], [null, null]);
  assert.equal(view.referer, 'https://mail.example/inbox/7');
  assert.equal(views.find(chrome!)!.referer, null);
  assert.equal(views.find(safari!)!.referer, null);
  assert.equal(views.find(safari!)!.userAgent!.length, 512);
});

test('the page passes its referrer on, because the Referer of its call is the page itself', async (t) => {
  const { server, path } = await startWithTransfer(t);
  const { publicUrl } = server.context.config;
  const arrive = async (userAgent: string, from: string) => {
    const headers = { 'user-agent': userAgent, referer: `${publicUrl}/download/x` };
    const query = new URLSearchParams({ from });
    assert.equal((await server.anonymous().fetch(`${path}?${query}`, { headers })).status, 200);
  };
  const arrivals = {
    blog: ['https://blog.example/post/1?utm=secret#top', 'https://blog.example/post/1'],
    nowhere: ['', null],
    own: [`${publicUrl}/download/other`, null],
    script: ['javascript:alert(1)', null],
    nonsense: ['//', null],
    long: [`https://long.example/${'x'.repeat(5_000)}`, null],
    exact: [`https://exact.example/${'y'.repeat(1_000)}`, `https://exact.example/${'y'.repeat(490)}`],
  } as const;
  for (const [userAgent, [from]] of Object.entries(arrivals)) await arrive(userAgent, from);
  await until(async () => (await listViews(server)).length === Object.keys(arrivals).length);
  const views = await listViews(server);
  for (const [userAgent, [, expected]] of Object.entries(arrivals)) {
    assert.equal(views.find((view) => view.userAgent === userAgent)!.referer, expected, userAgent);
  }
});

test('an IPv6 /64 is one visitor, two IPv4 addresses are two', async (t) => {
  const { server, visit } = await startWithTransfer(t, { TRUST_PROXY: '1' });
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '203.0.113.7', '203.0.113.8']) {
    await visit({ ...FIREFOX, 'x-forwarded-for': address });
  }
  assert.equal(await countViews(server, visit), 3);
});

test('preview bots and mail scanners don’t count, and get the same answer', async (t) => {
  const { server, visit } = await startWithTransfer(t);
  for (const userAgent of ['Slackbot 1.0', 'WhatsApp/2.23', 'facebookexternalhit/1.1', 'BarracudaCentral'])
    await visit({ 'user-agent': userAgent });
  assert.equal(await countViews(server, visit), 0);
});

test('the owner’s visits and prefetches don’t count and don’t hide other visitors’ views', async (t) => {
  const { server, visit } = await startWithTransfer(t);
  const paula = await server.signIn('paula');
  await visit(FIREFOX, paula);
  await visit({ ...FIREFOX, 'sec-purpose': 'prefetch' });
  assert.equal(await countViews(server, visit), 0);
  await visit();
  assert.equal(await countViews(server, visit), 1);
});

test('a view of a deleted transfer is dropped silently', async (t) => {
  const { server, transfer, visit } = await startWithTransfer(t);
  const other = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  await visit();
  await server.context.db.deleteFrom('transfers').where('id', '=', transfer.id).execute();
  const visitOther = async (headers: Record<string, string>) => {
    await server.anonymous().fetch(`/api/download/${other.token}`, { headers });
  };
  assert.equal(await countViews(server, visitOther), 0);
});

const NOW = Date.UTC(2026, 0, 1);
const visit = (userAgent: string, address = '203.0.113.7') => ({ transferId: 't', address, userAgent });

test('a visit counts again after half an hour, not before', () => {
  const visitors = new RecentVisitors();
  const at = (ms: number) => visitors.isNewView(visit('Firefox'), NOW + ms);
  assert.deepEqual([0, 1, VIEW_WINDOW_MS - 1, VIEW_WINDOW_MS, VIEW_WINDOW_MS + 1].map(at), [
    true,
    false,
    false,
    true,
    false,
  ]);
});

test('a clock set back does not suppress visits', () => {
  const visitors = new RecentVisitors();
  assert.equal(visitors.isNewView(visit('Firefox'), NOW), true);
  assert.equal(visitors.isNewView(visit('Firefox'), NOW - 365 * 24 * 3_600_000), true);
});

test('an address with ever new browsers counts at most a thousand times', () => {
  const visitors = new RecentVisitors();
  const first = Array.from({ length: 1_500 }, (_, index) => visitors.isNewView(visit(`bot ${index}`), NOW));
  assert.equal(first.filter(Boolean).length, 1_000);
  assert.equal(visitors.isNewView(visit('Firefox', '203.0.113.8'), NOW), true);
});

test('the oldest visitors are evicted when there are too many', () => {
  const visitors = new RecentVisitors();
  const addresses = Array.from({ length: 20_001 }, (_, index) => `address ${index}`);
  for (const address of addresses) visitors.isNewView(visit('Firefox', address), NOW);
  assert.equal(visitors.isNewView(visit('Firefox', addresses.at(-1)), NOW), false);
  assert.equal(visitors.isNewView(visit('Firefox', addresses[0]), NOW), true);
});
