import assert from 'node:assert/strict';
import test from 'node:test';
import { listTransfers, TRANSFER_SORTS, TRANSFER_STATES } from '../../../../contracts/transfers/transfers.ts';
import { Client } from '../../../../testing/calls/client.ts';
import { FIRST_SESSION, seededId, seedLargeDatabase } from '../../../../testing/databases/large-database.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { isSqlite } from '../../../platform/db/open.ts';
import type { Position } from '../../../platform/lib/cursor.ts';
import { type ListRequest, selectTransfers } from './list-queries.ts';
import { listInSlices } from './long-list.ts';

const TITLES = [null, '', 'a', 'B', 'é', 'É', 'Z', '\uffee', '\u{1f600}', 'same', 'same'];
const SEARCHES = [undefined, 'NUMBER 7', 'É', '\u{1f600}', 'file 4', 'nowhere', 'rex2'];

test('slices list the same transfers as one statement, for any order, filter and page', async (t) => {
  const { context, url, clock } = await startTestServer(t);
  const { db } = context;
  if (!isSqlite(db)) return t.skip('PostgreSQL lists in one statement');
  const userId = seededId('u', 0);
  await seedLargeDatabase(db, { users: 10, transfers: 3_000, filesOfLargest: 2_500 }, clock.now());
  for (const [index, title] of TITLES.entries())
    await db
      .updateTable('transfers')
      .set({ title })
      .where('id', '=', seededId('t', 10 * index))
      .execute();
  await db
    .updateTable('transfers')
    .set({ expiresAt: null })
    .where('id', 'in', [seededId('t', 20), seededId('t', 30)])
    .execute();
  for (const sort of TRANSFER_SORTS)
    for (const state of [undefined, ...TRANSFER_STATES])
      for (const search of SEARCHES) {
        const request: ListRequest = {
          userId,
          now: clock.now(),
          sort,
          search,
          state,
          // Few of the seeded transfers were received, so one search also covers this filter.
          origin: search === undefined ? undefined : 'sent',
          after: undefined,
          limit: 3_000,
        };
        const all = plain(await selectTransfers(db, request));
        const where = JSON.stringify({ sort, state, search });
        assert.deepEqual(plain(await listInSlices(db, request)), all, where);
        const place = all.at(Math.floor(all.length / 3));
        const after: Position | undefined = place && { id: place.id, key: place.sortKey };
        const page = { ...request, after, limit: 7 };
        assert.deepEqual(plain(await listInSlices(db, page)), plain(await selectTransfers(db, page)), where);
      }
  const client = new Client(url);
  client.jar.add({ name: 'sendwell_session', value: FIRST_SESSION, path: '/' });
  const listed = await client.call(listTransfers);
  assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
  const ready = db.selectFrom('transfers').select('id').where('userId', '=', userId);
  assert.equal(listed.length, (await ready.where('status', '=', 'ready').execute()).length);
});

test('a search finds a file name among the thousands of a transfer', async (t) => {
  const { context, url, clock } = await startTestServer(t);
  await seedLargeDatabase(context.db, { users: 10, transfers: 50, filesOfLargest: 2_500 }, clock.now());
  // Move the second transfer, which has all these files, to the first user.
  await context.db
    .updateTable('transfers')
    .set({ userId: seededId('u', 0) })
    .where('id', '=', seededId('t', 1))
    .execute();
  const client = new Client(url);
  client.jar.add({ name: 'sendwell_session', value: FIRST_SESSION, path: '/' });
  const found = await client.call(listTransfers, { query: { search: 'FILE 2111.bin' } });
  assert.deepEqual(
    found.map(({ id }) => id),
    [seededId('t', 1)],
  );
  const nothing = await client.call(listTransfers, { query: { search: 'file 9111.bin' } });
  assert.deepEqual(nothing, []);
});

/** Copies rows to plain objects, because those from the database have no prototype. */
function plain<Row extends object>(rows: Row[]): Row[] {
  return rows.map((row) => ({ ...row }));
}
