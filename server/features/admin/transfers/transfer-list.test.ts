import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { type AdminTransfer, listAllTransfers } from '../../../../contracts/admin/transfers.ts';
import { reportTransfer } from '../../../../contracts/transfers/downloads/downloads.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import type { CastName } from '../../../../testing/cast.ts';
import { createReadyTransfer } from '../../../../testing/factories.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import { toIso } from '../../../platform/lib/clock.ts';

type Wanted = {
  title?: string;
  by?: CastName;
  bytes?: number;
  livesFor?: number;
  message?: string;
  path?: string;
};

/** Creates transfers of several senders, each a minute after the one before. */
async function startWithList(t: TestContext, wanted: Wanted[]) {
  const server = await startTestServer(t);
  const start = server.clock.now();
  const made = [];
  for (const { by = 'frida', bytes = 1, livesFor = 3 * DAY_MS, path = 'a.txt', ...rest } of wanted) {
    const files = [{ path, bytes: 'x'.repeat(bytes) }];
    const expiresAt = start + livesFor;
    made.push(
      await createReadyTransfer(server.context, { userId: server.userId(by), files, expiresAt, ...rest }),
    );
    server.clock.advance(MINUTE_MS);
  }
  return { server, made, ada: await server.signIn('ada') };
}

async function list(client: Client, query: Record<string, string> = {}) {
  return (await client.call(listAllTransfers, { query })).map(({ title }) => title);
}

async function walkPages(client: Client, query: Record<string, string>): Promise<AdminTransfer[][]> {
  const pages: AdminTransfer[][] = [];
  let path: string | undefined = `${listAllTransfers.path}?${new URLSearchParams(query)}`;
  while (path) {
    const response: Response = await client.fetch(path);
    assert.equal(response.status, 200, path);
    pages.push((await response.json()) as AdminTransfer[]);
    path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return pages;
}

test('GET /api/admin/transfers lists everybody’s transfers, newest first', async (t) => {
  const { server, made, ada } = await startWithList(t, [
    { title: 'first', by: 'frida', bytes: 3 },
    { title: 'second', by: 'prem', bytes: 2 },
  ]);
  await server.context.db
    .insertInto('transfers')
    .values({
      id: '0'.repeat(26),
      token: 't',
      userId: server.userId('frida'),
      status: 'draft',
      recipientEmails: '[]',
      createdAt: server.clock.now(),
    })
    .execute();
  const [second, first, ...others] = await ada.call(listAllTransfers);
  assert.deepEqual([second!.title, others], ['second', []]);
  assert.deepEqual(first, {
    id: made[0]!.id,
    token: made[0]!.token,
    isArriving: false,
    title: 'first',
    firstFileName: null,
    encryption: null,
    owner: { id: server.userId('frida'), username: 'frida', email: 'frida@example.org' },
    fileCount: 1,
    totalSize: 3,
    downloadCount: 0,
    createdAt: toIso(server.clock.now() - 2 * MINUTE_MS),
    expiresAt: toIso(server.clock.now() - 2 * MINUTE_MS + 3 * DAY_MS),
    isExpired: false,
    isPasswordProtected: false,
    isTakenDown: false,
    openReports: 0,
  });
});

test('each sort order continues across pages, including equal values and transfers without an expiry', async (t) => {
  const { server, made, ada } = await startWithList(t, [
    { title: 'a', bytes: 5, livesFor: 2 * DAY_MS },
    { title: 'b', bytes: 9, livesFor: 9 * DAY_MS },
    { title: 'c', bytes: 5, livesFor: 5 * DAY_MS },
    { title: 'd', bytes: 1, livesFor: 5 * DAY_MS },
    { title: 'e', bytes: 7, livesFor: 1 * DAY_MS },
    { title: 'f', bytes: 2, livesFor: 1 * DAY_MS },
  ]);
  const endless = [made[5]!.id, made[1]!.id];
  await server.context.db
    .updateTable('transfers')
    .set({ expiresAt: null })
    .where('id', 'in', endless)
    .execute();
  const orders = {
    newest: /^fedcba$/,
    oldest: /^abcdef$/,
    size: /^be(ac|ca)fd$/,
    expiry: /^ea(cd|dc)(bf|fb)$/,
  };
  for (const [sort, expected] of Object.entries(orders)) {
    const whole = (await list(ada, { sort })).join('');
    assert.match(whole, expected, sort);
    for (const limit of [1, 2, 4, 5]) {
      const pages = await walkPages(ada, { sort, limit: String(limit) });
      assert.equal(
        pages
          .flat()
          .map(({ title }) => title)
          .join(''),
        whole,
        `${sort} by ${limit}`,
      );
      assert.ok(pages.every(({ length }) => length > 0 && length <= limit));
    }
  }
});

test('without a limit a page has 50 transfers', async (t) => {
  const { ada } = await startWithList(
    t,
    Array.from({ length: 52 }, () => ({})),
  );
  const pages = await walkPages(ada, {});
  assert.deepEqual(
    pages.map(({ length }) => length),
    [50, 2],
  );
});

test('the search matches title, message and file names literally and in any case', async (t) => {
  const { ada } = await startWithList(t, [
    { title: 'Holiday 100%' },
    { title: 'by message', message: 'from our HOLIDAY' },
    { title: 'by file', path: 'pictures/holiday/Straße.jpg' },
    { title: 'another' },
  ]);
  assert.deepEqual(await list(ada, { search: 'holiday' }), ['by file', 'by message', 'Holiday 100%']);
  assert.deepEqual(await list(ada, { search: '0%' }), ['Holiday 100%']);
  assert.deepEqual(await list(ada, { search: '%' }), ['Holiday 100%']);
  assert.deepEqual(await list(ada, { search: 'STRAße' }), ['by file']);
  assert.deepEqual(await list(ada, { search: 'frida@example.org' }), []);
});

test('transfers are filtered by the beginning of the owner’s username or address', async (t) => {
  const { server, ada } = await startWithList(t, [
    { title: 'f' },
    { title: 'p', by: 'paula' },
    { title: 'q', by: 'prem' },
  ]);
  await server.context.db
    .updateTable('users')
    .set({ username: 'p_em', usernameKey: 'p_em' })
    .where('id', '=', server.userId('prem'))
    .execute();
  assert.deepEqual(await list(ada, { owner: 'p' }), ['q', 'p']);
  assert.deepEqual(await list(ada, { owner: 'PAULA' }), ['p']);
  assert.deepEqual(await list(ada, { owner: 'prem@example.org' }), ['q']);
  assert.deepEqual(await list(ada, { owner: 'p_' }), ['q']);
  assert.deepEqual(await list(ada, { owner: 'rida' }), []);
  assert.deepEqual(await list(ada, { owner: '%' }), []);
});

test('transfers are filtered by state and size, alone and together with a search', async (t) => {
  const { server, made, ada } = await startWithList(t, [
    { title: 'over', bytes: 10, livesFor: HOUR_MS },
    { title: 'live', bytes: 20 },
    { title: 'reported', bytes: 30 },
    { title: 'down', bytes: 40 },
  ]);
  await server
    .anonymous()
    .call(reportTransfer, { params: { token: made[2]!.token }, body: { reason: 'malware' } });
  await server.context.db
    .updateTable('transfers')
    .set({ takenDownAt: 1 })
    .where('id', '=', made[3]!.id)
    .execute();
  server.clock.advance(HOUR_MS);
  assert.deepEqual(await list(ada, { state: 'active' }), ['down', 'reported', 'live']);
  assert.deepEqual(await list(ada, { state: 'expired' }), ['over']);
  assert.deepEqual(await list(ada, { state: 'reported' }), ['reported']);
  assert.deepEqual(await list(ada, { state: 'taken-down' }), ['down']);
  assert.deepEqual(await list(ada, { minBytes: '20', maxBytes: '30' }), ['reported', 'live']);
  assert.deepEqual(await list(ada, { maxBytes: '0' }), []);
  assert.deepEqual(await list(ada, { minBytes: '30', state: 'active', search: 'DOWN' }), ['down']);
  const [reported] = await ada.call(listAllTransfers, { query: { state: 'reported' } });
  assert.deepEqual([reported!.openReports, reported!.isTakenDown], [1, false]);
});

test('a search skips thousands of transfers that do not match, and its pages contain all matches', async (t) => {
  const { server, ada } = await startWithList(t, [{ title: 'needle 1' }]);
  await insertMany(server, 5_200);
  await createReadyTransfer(server.context, { userId: server.userId('frida'), title: 'needle 2', files: [] });
  const queries: Record<string, string>[] = [{ search: 'needle' }, { search: 'needle', state: 'active' }];
  for (const query of queries) {
    const pages = await walkPages(ada, { ...query, limit: '1' });
    assert.deepEqual(
      pages.flat().map(({ title }) => title),
      ['needle 2', 'needle 1'],
    );
  }
});

test('a cursor of another order, an unknown cursor and an invalid cursor are refused', async (t) => {
  const { ada } = await startWithList(t, [{}, {}]);
  const first = await ada.fetch(`${listAllTransfers.path}?limit=1`);
  const cursor = new URLSearchParams(/\?([^>]+)>/.exec(first.headers.get('link')!)![1]).get('cursor')!;
  const queries: Record<string, string>[] = [
    { cursor, sort: 'size' },
    { cursor: 'x' },
    { cursor: `${cursor}.9` },
  ];
  for (const query of queries)
    await assert.rejects(ada.call(listAllTransfers, { query }), { status: 400, code: 'invalid_input' });
});

async function insertMany({ context, clock, userId }: TestServer, count: number): Promise<void> {
  const createdAt = clock.now();
  for (let start = 0; start < count; start += 400) {
    const rows = Array.from({ length: 400 }, (_, index) => ({
      id: `h${String(start + index).padStart(25, '0')}`,
      token: `h${start + index}`,
      userId: userId('frida'),
      status: 'ready' as const,
      title: 'hay',
      recipientEmails: '[]',
      createdAt,
      readyAt: createdAt,
      expiresAt: createdAt + DAY_MS,
    }));
    await context.db.insertInto('transfers').values(rows).execute();
  }
  clock.advance(MINUTE_MS);
}
