import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { Client } from '../../../testing/client.ts';
import { createReadyTransfer } from '../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../testing/test-context.ts';
import { until } from '../../../testing/until.ts';
import { createApp } from '../../app.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

const FIREFOX = { 'user-agent': 'Firefox' };

async function startWithTransfer(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, env);
  const transfer = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  const path = `/api/download/${transfer.token}`;
  const look = async (headers: Record<string, string> = FIREFOX, client: Client = server.anonymous()) =>
    assert.equal((await client.fetch(path, { headers })).status, 200);
  return { server, transfer, path, look };
}

const listViews = ({ context }: TestServer) =>
  context.db.selectFrom('transferViews').selectAll().orderBy('viewedAt').execute();

/** Views are noted after the answer, so a test waits for a last one of another visitor. */
async function countViews(
  server: TestServer,
  look: (headers: Record<string, string>) => Promise<void>,
): Promise<number> {
  const userAgent = `last ${randomId()}`;
  await look({ 'user-agent': userAgent });
  await until(async () => (await listViews(server)).some((view) => view.userAgent === userAgent));
  return (await listViews(server)).filter((view) => !view.userAgent?.startsWith('last')).length;
}

test('only the first page view per visitor and half hour is a view', async (t) => {
  const { server, look } = await startWithTransfer(t);
  await Promise.all(Array.from({ length: 20 }, () => look()));
  assert.equal(await countViews(server, look), 1);
  server.clock.advance(30 * MINUTE_MS - 1);
  await look();
  assert.equal(await countViews(server, look), 1);
  server.clock.advance(1);
  await look();
  assert.equal(await countViews(server, look), 2);
  await look({ 'user-agent': 'Chrome' });
  assert.equal(await countViews(server, look), 3);
});

test('a half hour is any half hour, also for a server that has forgotten the visitor', async (t) => {
  const { server, transfer, look } = await startWithTransfer(t);
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
  await look();
  for (const [minutes, views] of [
    [29, 1],
    [1, 2],
    [15, 2],
    [14, 2],
    [1, 3],
  ] as const) {
    server.clock.advance(minutes * MINUTE_MS);
    const lookAgain = await restart();
    await lookAgain();
    assert.equal(await countViews(server, lookAgain), views, `after ${minutes} more minutes`);
  }
});

test('two processes that are asked at once note one view', async (t) => {
  const { server, transfer } = await startWithTransfer(t);
  const looks = [1, 2, 3, 4].map(async () => {
    const app = await createApp({ ...server.context, metrics: new Metrics() });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const client = new Client(`http://127.0.0.1:${port}`);
    return { app, look: () => client.fetch(`/api/download/${transfer.token}`, { headers: FIREFOX }) };
  });
  const apps = await Promise.all(looks);
  await Promise.all(apps.flatMap(({ look }) => [look(), look(), look()]));
  await Promise.all(apps.map(({ app }) => app.close()));
  assert.equal((await listViews(server)).length, 1);
});

test('a view says when, from where and with what, and no query of anybody’s address', async (t) => {
  const { server, transfer, look } = await startWithTransfer(t);
  await look({ ...FIREFOX, referer: 'https://mail.example/inbox/7?session=secret#top' });
  await look({ 'user-agent': 'Chrome', referer: `${server.context.config.publicUrl}/download/x?r=secret` });
  await look({ 'user-agent': `Safari ${'x'.repeat(5_000)}`, referer: 'javascript:alert(1)' });
  assert.equal(await countViews(server, look), 3);
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

test('a page tells where its visitor came from, for the referer of its own call is the page', async (t) => {
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
  for (const [userAgent, [, noted]] of Object.entries(arrivals)) {
    assert.equal(views.find((view) => view.userAgent === userAgent)!.referer, noted, userAgent);
  }
});

test('an IPv6 household is one visitor, two IPv4 addresses are two', async (t) => {
  const { server, look } = await startWithTransfer(t, { TRUST_PROXY: '1' });
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '203.0.113.7', '203.0.113.8']) {
    await look({ ...FIREFOX, 'x-forwarded-for': address });
  }
  assert.equal(await countViews(server, look), 3);
});

test('the owner’s own look and a prefetch are no views, and hide nobody else’s', async (t) => {
  const { server, look } = await startWithTransfer(t);
  const paula = await server.signIn('paula');
  await look(FIREFOX, paula);
  await look({ ...FIREFOX, 'sec-purpose': 'prefetch' });
  assert.equal(await countViews(server, look), 0);
  await look();
  assert.equal(await countViews(server, look), 1);
});

test('a view of what is deleted meanwhile is dropped without a word', async (t) => {
  const { server, transfer, look } = await startWithTransfer(t);
  const other = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'a' }],
  });
  await look();
  await server.context.db.deleteFrom('transfers').where('id', '=', transfer.id).execute();
  const lookElsewhere = async (headers: Record<string, string>) => {
    await server.anonymous().fetch(`/api/download/${other.token}`, { headers });
  };
  assert.equal(await countViews(server, lookElsewhere), 0);
});
