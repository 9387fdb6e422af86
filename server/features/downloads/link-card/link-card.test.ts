import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import sharp from 'sharp';
import {
  invitationPath,
  SITE_CARD_PATH,
  shareCardPath,
  sharePath,
} from '../../../../contracts/values/addresses/links.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { until } from '../../../../testing/lib/until.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';

const skip =
  !existsSync(join(import.meta.dirname, '../../../../dist/web/index.html')) && 'the pages are not built';

const SLACK = { 'user-agent': 'Slackbot-LinkExpanding 1.0' };

type Settings = Partial<Parameters<typeof createReadyTransfer>[1]>;

function create({ context, userId }: TestServer, settings: Settings = {}) {
  const files = ['a.txt', 'secret-name.txt'].map((path) => ({ path, bytes: 'hello' }));
  return createReadyTransfer(context, { userId: userId('paula'), files, title: 'Plans', ...settings });
}

/** The tags of the page, by property or name. */
async function readTags(client: Client, path: string): Promise<Record<string, string>> {
  const page = await client.fetch(path, { headers: SLACK });
  assert.equal(page.status, 200);
  const tags = (await page.text()).matchAll(
    /<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">/g,
  );
  return Object.fromEntries([...tags].map(([, name, content]) => [name!, content!]));
}

async function start(t: TestContext, env: Record<string, string> = {}) {
  const server = await startTestServer(t, { PUBLIC_URL: 'https://files.example.org', ...env });
  return { server, guest: server.anonymous() };
}

const SITE_TITLE = 'Share Files Simply';

test('an open transfer is described by title, files, size and sender', { skip }, async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server);
  const tags = await readTags(guest, `${sharePath(token)}?r=${'b'.repeat(26)}`);
  const picture = tags['og:image']!;
  assert.ok(picture.startsWith(`https://files.example.org${shareCardPath(token)}?v=`), picture);
  assert.deepEqual(tags, {
    'og:site_name': 'Sendwell',
    'og:type': 'website',
    'og:url': `https://files.example.org${sharePath(token)}`,
    'og:title': 'Plans',
    'og:description': '2 files · 10 B from Paula Pro',
    'og:image': picture,
    'og:image:type': 'image/png',
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'Plans. 2 files · 10 B from Paula Pro',
    'twitter:card': 'summary_large_image',
    'twitter:title': 'Plans',
    'twitter:description': '2 files · 10 B from Paula Pro',
    'twitter:image': picture,
  });
});

test('an untitled transfer is named by its sender, and a new title changes the picture', {
  skip,
}, async (t) => {
  const { server, guest } = await start(t);
  const { id, token } = await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [{ path: 'a.txt', bytes: 'hello' }],
  });
  const before = await readTags(guest, sharePath(token));
  assert.equal(before['og:title'], 'Paula Pro sent you 1 file');
  assert.equal(before['og:description'], '1 file · 5 B');
  await server.context.db.updateTable('transfers').set({ title: 'New' }).where('id', '=', id).execute();
  const after = await readTags(guest, sharePath(token));
  assert.equal(after['og:title'], 'New');
  assert.notEqual(after['og:image'], before['og:image']);
});

test('titles and names cannot add markup', { skip }, async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server, { title: '"><script>alert(1)</script>$&$`' });
  const name = `<b onclick='x'>`;
  await server.context.db.updateTable('users').set({ name }).where('username', '=', 'paula').execute();
  const page = await (await guest.fetch(sharePath(token))).text();
  assert.doesNotMatch(page, /<script>alert|<b onclick/);
  assert.ok(page.includes('content="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;$`"'));
  assert.ok(page.includes('from &lt;b onclick=&#39;x&#39;&gt;'));
});

test('nothing of a locked, scheduled, expired, blocked or unknown transfer is described', {
  skip,
}, async (t) => {
  const { server, guest } = await start(t);
  const { db, clock } = server.context;
  const site = await readTags(guest, invitationPath('x'.repeat(26)));
  assert.equal(site['og:title'], SITE_TITLE);
  assert.ok(site['og:image']!.startsWith(`https://files.example.org${SITE_CARD_PATH}?v=`));
  const closed = {
    locked: await create(server, { password: 'open sesame' }),
    scheduled: await create(server, { scheduledAvailableAt: clock.now() + DAY_MS }),
    expired: await create(server, { expiresAt: clock.now() - 1 }),
    takenDown: await create(server),
    checking: await create(server),
    blocked: await create(server),
    unknown: { id: '', token: '0'.repeat(26) },
    malformed: { id: '', token: 'x' },
  };
  const update = (id: string, change: object) =>
    db.updateTable('transfers').set(change).where('id', '=', id).execute();
  await update(closed.takenDown.id, { takenDownAt: clock.now() });
  await update(closed.checking.id, { scanState: 'checking' });
  await update(closed.blocked.id, { scanState: 'blocked' });
  for (const [state, { token }] of Object.entries(closed))
    assert.deepEqual(await readTags(guest, sharePath(token)), site, state);
});

test('a password also hides the card from browsers that unlocked the transfer', { skip }, async (t) => {
  const { server, guest } = await start(t, { PUBLIC_URL: 'http://localhost' });
  const { token } = await create(server, { password: 'open sesame' });
  const unlocked = await guest.fetch(`/api/download/${token}/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  assert.equal(unlocked.status, 204);
  assert.equal((await readTags(guest, sharePath(token)))['og:title'], SITE_TITLE);
});

test('other pages have no tags, and a failing database costs only the description', { skip }, async (t) => {
  const { server, guest } = await start(t);
  assert.deepEqual(await readTags(guest, PAGES.auth), {});
  const { token } = await create(server);
  await server.context.db.schema.alterTable('transfers').renameTo('away').execute();
  assert.equal((await readTags(guest, sharePath(token)))['og:title'], SITE_TITLE);
  await server.context.db.schema.alterTable('away').renameTo('transfers').execute();
  assert.equal((await readTags(guest, sharePath(token)))['og:title'], 'Plans');
});

test('the page is served to an address that asked for too many unknown transfers', { skip }, async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server);
  const unknown = `/api/download/${'0'.repeat(26)}`;
  assert.equal((await guest.fetch(unknown)).status, 404);
  await server.context.db
    .updateTable('rateCounters')
    .set({ count: 300 })
    .where('key', 'like', 'unknown-token:%')
    .execute();
  assert.equal((await guest.fetch(unknown)).status, 429);
  assert.equal((await readTags(guest, sharePath('0'.repeat(26))))['og:title'], SITE_TITLE);
  assert.equal((await readTags(guest, sharePath(token)))['og:title'], 'Plans');
});

test('the picture is a PNG of 1200 x 630 that only its reader may keep', async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server, { title: `Wide ${'title '.repeat(30)}🎉` });
  const answer = await guest.fetch(shareCardPath(token), { headers: SLACK });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=300');
  const etag = answer.headers.get('etag')!;
  const picture = Buffer.from(await answer.arrayBuffer());
  const { format, width, height } = await sharp(picture).metadata();
  assert.deepEqual([format, width, height], ['png', 1200, 630]);
  assert.ok(picture.length < 200_000, 'messengers drop large pictures');
  const again = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
  assert.equal((await guest.fetch(shareCardPath(token), { headers: again })).status, 304);
  await server.context.db.updateTable('transfers').set({ title: 'Other' }).execute();
  const other = await guest.fetch(shareCardPath(token), { headers: again });
  assert.equal(other.status, 200);
  assert.notDeepEqual(Buffer.from(await other.arrayBuffer()), picture);
});

test('a closed transfer has the picture of the site, and an unknown one has none', async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server, { password: 'open sesame' });
  const site = await guest.fetch(SITE_CARD_PATH);
  assert.equal(site.headers.get('cache-control'), 'public, max-age=86400');
  const closed = await guest.fetch(shareCardPath(token));
  assert.deepEqual(await closed.arrayBuffer(), await site.arrayBuffer());
  assert.equal((await guest.fetch(shareCardPath('0'.repeat(26)))).status, 404);
});

test('drawing is limited per address, and a picture that was drawn is not drawn again', async (t) => {
  const { server, guest } = await start(t);
  const [first, second] = [await create(server), await create(server, { title: 'Another' })];
  const statusOf = async ({ token }: { token: string }) => (await guest.fetch(shareCardPath(token))).status;
  assert.equal(await statusOf(first), 200);
  await server.context.db
    .updateTable('rateCounters')
    .set({ count: 300 })
    .where('key', 'like', 'link-card:%')
    .execute();
  assert.equal(await statusOf(first), 200);
  assert.equal(await statusOf(second), 429);
});

test('cards are neither views nor downloads', { skip }, async (t) => {
  const { server, guest } = await start(t);
  const { token } = await create(server, { maxDownloads: 1 });
  await readTags(guest, sharePath(token));
  await guest.fetch(shareCardPath(token));
  await guest.fetch(`/api/download/${token}`, { headers: SLACK });
  // Views are stored after the response, so wait for one that counts.
  await guest.fetch(`/api/download/${token}`, { headers: { 'user-agent': 'Firefox' } });
  const { db } = server.context;
  const listViews = () => db.selectFrom('transferViews').select('userAgent').execute();
  await until(async () => (await listViews()).length > 0);
  assert.deepEqual(
    (await listViews()).map(({ userAgent }) => userAgent),
    ['Firefox'],
  );
  assert.deepEqual(await db.selectFrom('downloads').select('id').execute(), []);
});
