import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ApiError } from '../../../../client/api-error.ts';
import { listTransfers, type Transfer } from '../../../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer } from '../../../../testing/test-context.ts';

/** `livesFor` in milliseconds from the start of the test. */
type Wanted = Partial<Parameters<typeof createReadyTransfer>[1]> & { downloads?: number; livesFor?: number };

async function startWithList(t: TestContext, transfers: Wanted[]) {
  const server = await startTestServer(t);
  const start = server.clock.now();
  for (const { downloads = 0, livesFor = 3 * DAY_MS, ...wanted } of transfers) {
    const { id } = await createReadyTransfer(server.context, {
      userId: server.userId('frida'),
      files: [{ path: 'a.txt', bytes: 'x' }],
      expiresAt: start + livesFor,
      ...wanted,
    });
    await server.context.db
      .updateTable('transfers')
      .set({ downloadCount: downloads })
      .where('id', '=', id)
      .execute();
    server.clock.advance(MINUTE_MS);
  }
  return { server, frida: await server.signIn('frida') };
}

const titles = (list: Transfer[]) => list.map(({ title }) => title);

const list = async (client: Client, query: Record<string, string>) =>
  titles(await client.call(listTransfers, { query }));

/** Follows the next links, as a client that doesn't parse cursors does. */
async function walk(client: Client, query: Record<string, string>): Promise<Transfer[][]> {
  const pages: Transfer[][] = [];
  let path: string | undefined = `/api/transfers?${new URLSearchParams(query)}`;
  while (path) {
    const response: Response = await client.fetch(path);
    assert.equal(response.status, 200, path);
    pages.push((await response.json()) as Transfer[]);
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return pages;
}

test('without a limit a short list is complete and has no next page', async (t) => {
  const { frida } = await startWithList(
    t,
    Array.from({ length: 5 }, (_, index) => ({ title: `T${index}` })),
  );
  const response = await frida.fetch('/api/transfers');
  assert.equal(response.headers.get('link'), null);
  assert.deepEqual(titles((await response.json()) as Transfer[]), ['T4', 'T3', 'T2', 'T1', 'T0']);
});

test('without a limit a page has at most 1,000 transfers and a link to the next', async (t) => {
  const { server, frida } = await startWithList(t, []);
  const count = 1_003;
  for (let start = 0; start < count; start += 400) {
    const rows = Array.from({ length: Math.min(400, count - start) }, (_, index) => ({
      id: `n${String(start + index).padStart(25, '0')}`,
      token: `n${start + index}`,
      userId: server.userId('frida'),
      status: 'ready' as const,
      title: `Number ${start + index}`,
      recipientEmails: '[]',
      createdAt: server.clock.now(),
    }));
    await server.context.db.insertInto('transfers').values(rows).execute();
  }
  for (const sort of ['newest', 'title']) {
    const pages = await walk(frida, { sort });
    assert.deepEqual(
      pages.map(({ length }) => length),
      [1_000, 3],
    );
    assert.equal(new Set(pages.flat().map(({ id }) => id)).size, count);
  }
});

test('each sort orders the list, and its pages add up to the whole list', async (t) => {
  const bytes = (count: number) => [{ path: 'a.txt', bytes: 'x'.repeat(count) }];
  const { frida } = await startWithList(t, [
    { title: 'beta', files: bytes(3), downloads: 2, livesFor: DAY_MS + HOUR_MS },
    { title: 'Alpha', files: bytes(9), downloads: 2, livesFor: DAY_MS + 3 * HOUR_MS },
    { title: 'alpha', files: bytes(3), downloads: 7, livesFor: DAY_MS + 2 * HOUR_MS },
    { files: bytes(1), downloads: 0, livesFor: DAY_MS },
    { files: bytes(2), downloads: 1, livesFor: DAY_MS + 4 * HOUR_MS },
  ]);
  const byKey = async (sort: string, key: (transfer: Transfer) => unknown) =>
    (await frida.call(listTransfers, { query: { sort } })).map(key);
  assert.deepEqual(await byKey('newest', ({ totalSize }) => totalSize), [2, 1, 3, 9, 3]);
  assert.deepEqual(await byKey('oldest', ({ totalSize }) => totalSize), [3, 9, 3, 1, 2]);
  assert.deepEqual(await byKey('expiry', ({ totalSize }) => totalSize), [1, 3, 3, 9, 2]);
  assert.deepEqual(await byKey('size', ({ totalSize }) => totalSize), [9, 3, 3, 2, 1]);
  assert.deepEqual(await byKey('downloads', ({ downloadCount }) => downloadCount), [7, 2, 2, 1, 0]);
  const named = await byKey('title', ({ title }) => title?.toLowerCase() ?? null);
  assert.deepEqual(named, ['alpha', 'alpha', 'beta', null, null]);

  for (const sort of ['newest', 'oldest', 'expiry', 'size', 'downloads', 'title']) {
    const whole = await frida.call(listTransfers, { query: { sort } });
    for (const limit of ['1', '2', '4', '5', '200']) {
      const pages = await walk(frida, { sort, limit });
      assert.equal(pages.length, Math.ceil(5 / Number(limit)), `${sort} by ${limit}`);
      assert.deepEqual(pages.flat(), whole, `${sort} by ${limit}`);
    }
  }
});

test('the next page continues after the last even if transfers were added and deleted meanwhile', async (t) => {
  const { server, frida } = await startWithList(
    t,
    Array.from({ length: 4 }, (_, index) => ({ title: `T${index}` })),
  );
  const first = await frida.fetch('/api/transfers?limit=2');
  const [, last] = (await first.json()) as Transfer[];
  await server.context.db.deleteFrom('transfers').where('id', '=', last!.id).execute();
  await createReadyTransfer(server.context, { userId: server.userId('frida'), files: [], title: 'new' });
  const next = /^<([^>]+)>/.exec(first.headers.get('link')!)![1]!;
  assert.deepEqual(titles((await (await frida.fetch(next)).json()) as Transfer[]), ['T1', 'T0']);
});

test('search finds titles, messages, recipients and file names, ignoring case', async (t) => {
  const { server, frida } = await startWithList(t, [
    { title: 'Holiday Plans' },
    { title: 'B', message: 'the PLAN for Tuesday' },
    { title: 'C', recipientEmails: ['Rex.Plan@example.org', 'vera@example.org'] },
    { title: 'D', files: [{ path: 'drawings/Floorplan.pdf', bytes: 'x' }] },
    { title: 'E' },
  ]);
  await createReadyTransfer(server.context, {
    userId: server.userId('paula'),
    files: [],
    title: 'Other plan',
  });
  assert.deepEqual(await list(frida, { search: 'plan' }), ['D', 'C', 'B', 'Holiday Plans']);
  assert.deepEqual(await list(frida, { search: '  FLOORplan ' }), ['D']);
  assert.deepEqual(await list(frida, { search: 'drawings/' }), ['D']);
  assert.deepEqual(await list(frida, { search: 'nowhere' }), []);
  assert.equal((await list(frida, { search: '' })).length, 5);
  assert.deepEqual(titles((await walk(frida, { search: 'plan', limit: '3' })).flat()).length, 4);
});

test('search ignores the case of non-ASCII letters', async (t) => {
  const { frida } = await startWithList(t, [
    { title: 'Übergabe ÄRGER' },
    { title: 'Смета' },
    { title: 'C', files: [{ path: 'Fotos/ÉTÉ 2026.jpg', bytes: 'x' }] },
  ]);
  assert.deepEqual(await list(frida, { search: 'übergabe är' }), ['Übergabe ÄRGER']);
  assert.deepEqual(await list(frida, { search: 'СМЕТА' }), ['Смета']);
  assert.deepEqual(await list(frida, { search: 'été' }), ['C']);
});

test('search treats wildcards and quotes literally', async (t) => {
  const { frida } = await startWithList(t, [
    { title: '100% done' },
    { title: '1000 done' },
    { title: 'snake_case' },
    { title: 'snakeXcase' },
    { title: 'back\\slash' },
    { title: `it's "quoted"`, recipientEmails: ['rex@example.org', 'vera@example.org'] },
  ]);
  assert.deepEqual(await list(frida, { search: '0% d' }), ['100% done']);
  assert.deepEqual(await list(frida, { search: 'e_c' }), ['snake_case']);
  assert.deepEqual(await list(frida, { search: '\\' }), ['back\\slash']);
  assert.deepEqual(await list(frida, { search: `'s "` }), [`it's "quoted"`]);
  assert.deepEqual(await list(frida, { search: '","' }), []);
  assert.deepEqual(await list(frida, { search: '%' }), ['100% done']);
  assert.deepEqual(await list(frida, { search: 'Ü%' }), []);
});

test('the clock decides the state, not the cached flag', async (t) => {
  const server = await startTestServer(t);
  const userId = server.userId('frida');
  const expiresAt = server.clock.now() + HOUR_MS;
  await createReadyTransfer(server.context, { userId, files: [], title: 'short', expiresAt });
  await createReadyTransfer(server.context, { userId, files: [], title: 'long' });
  const frida = await server.signIn('frida');
  assert.deepEqual((await list(frida, { state: 'active' })).sort(), ['long', 'short']);
  server.clock.advance(HOUR_MS);
  assert.deepEqual(await list(frida, { state: 'active' }), ['long']);
  assert.deepEqual(await list(frida, { state: 'expired' }), ['short']);
  await server.context.db.updateTable('transfers').set({ isExpired: 1 }).execute();
  assert.deepEqual(await list(frida, { state: 'active' }), ['long']);
});

test('a transfer without downloads left has its own state until it expires', async (t) => {
  const server = await startTestServer(t);
  const { db } = server.context;
  const of = { userId: server.userId('frida'), files: [] };
  const expiresAt = server.clock.now() + HOUR_MS;
  await createReadyTransfer(server.context, { ...of, title: 'unlimited' });
  await createReadyTransfer(server.context, { ...of, title: 'left', maxDownloads: 2 });
  await createReadyTransfer(server.context, { ...of, title: 'used up', maxDownloads: 1, expiresAt });
  await db.updateTable('transfers').set({ downloadCount: 1 }).execute();
  const frida = await server.signIn('frida');
  for (const sort of ['newest', 'expiry', 'title']) {
    assert.deepEqual((await list(frida, { state: 'active', sort })).sort(), ['left', 'unlimited']);
    assert.deepEqual(await list(frida, { state: 'limit-reached', sort }), ['used up']);
    assert.deepEqual(await list(frida, { state: 'expired', sort }), []);
  }
  const shown = await frida.call(listTransfers);
  assert.deepEqual(
    shown.filter(({ isLimitReached }) => isLimitReached).map(({ title }) => title),
    ['used up'],
  );
  server.clock.advance(HOUR_MS);
  assert.deepEqual(await list(frida, { state: 'limit-reached' }), []);
  assert.deepEqual(await list(frida, { state: 'expired' }), ['used up']);
});

test('invalid queries and foreign cursors are refused with 400 and a sentence', async (t) => {
  const { frida } = await startWithList(t, [{ title: 'A' }, { title: 'B' }]);
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const id = '0'.repeat(26);
  const wrong: Record<string, string>[] = [
    { sort: 'sideways' },
    { state: 'odd' },
    { limit: '0' },
    { limit: '1001' },
    { limit: '1.5' },
    { limit: 'many' },
    { search: 'x'.repeat(201) },
    { search: 'a\0b' },
    { cursor: '' },
    { cursor: '%00' },
    { cursor: 'x'.repeat(1_001) },
    { cursor: encode(`newest.${id}.tomorrow`) },
    { cursor: encode(`newest.${id}.${'9'.repeat(16)}`) },
    { cursor: encode(`newest.${id}.-1`) },
    { cursor: encode(`oldest.${id}.1`) },
    { cursor: encode('newest.short.1') },
    { sort: 'title', cursor: encode(`title.${id}.a\0b`) },
  ];
  for (const query of wrong) {
    const refusal = await frida.call(listTransfers, { query }).then(
      () => assert.fail(`${JSON.stringify(query)} was accepted`),
      (error: unknown) => error,
    );
    assert.ok(refusal instanceof ApiError && refusal.status === 400, JSON.stringify(query));
  }
  const plain = await frida.fetch('/api/transfers?cursor=nonsense');
  assert.equal(plain.status, 400);
  assert.equal(await plain.text(), 'This page of the list is unknown. Please start with the first one.');
});

test('the longest title can end a page', async (t) => {
  const { frida } = await startWithList(t, [{ title: '\u{1F30A}'.repeat(100) }, { title: 'Ж'.repeat(200) }]);
  assert.equal((await walk(frida, { sort: 'title', limit: '1' })).length, 2);
});

test('sent and received transfers can be listed separately', async (t) => {
  const { server, frida } = await startWithList(t, [{ title: 'sent' }, { title: 'received' }]);
  await server.context.db
    .updateTable('transfers')
    .set({ receivedFrom: 'rex@example.org' })
    .where('title', '=', 'received')
    .execute();
  assert.deepEqual(await list(frida, { origin: 'sent' }), ['sent']);
  assert.deepEqual(await list(frida, { origin: 'received' }), ['received']);
  assert.deepEqual(await list(frida, { origin: 'received', search: 'rece', sort: 'size' }), ['received']);
  assert.deepEqual(await list(frida, {}), ['received', 'sent']);
  assert.equal((await frida.fetch('/api/transfers?origin=both')).status, 400);
});

test('the list names the first file, the first picture and how many recipients have downloaded', async (t) => {
  const server = await startTestServer(t);
  const { context } = server;
  const emails = ['rex@example.org', 'tia@example.org', 'una@example.org'];
  const make = (name: 'frida' | 'paula') =>
    createReadyTransfer(context, {
      userId: server.userId(name),
      files: ['a.txt', 'b.png', 'c.png'].map((path) => ({ path, bytes: 'x' })),
      recipientEmails: emails,
    });
  for (const name of ['frida', 'paula'] as const) {
    const { id, files } = await make(name);
    for (const file of files.slice(1))
      await context.db
        .insertInto('fileThumbnails')
        .values({
          id: `thumbnail-${file.id}`,
          fileId: file.id,
          storageKey: `key-${file.id}`,
          mimeType: 'image/webp',
          width: 1,
          height: 1,
          sizeBytes: 1,
          createdAt: 0,
          previewStorageKey: null,
          previewSizeBytes: null,
        })
        .execute();
    await context.db
      .updateTable('transferRecipients')
      .set({ downloadedAt: 1 })
      .where('transferId', '=', id)
      .where('email', 'in', emails.slice(1))
      .execute();
    const [shown] = await (await server.signIn(name)).call(listTransfers);
    assert.equal(shown!.firstFileId, files[0]!.id);
    assert.equal(shown!.recipientsDownloaded, 2);
    // The free plan has no previews.
    assert.equal(shown!.thumbnailFileId, name === 'paula' ? files[1]!.id : null);
  }
});
