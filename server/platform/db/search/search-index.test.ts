import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { listAudit } from '../../../../contracts/admin/audit.ts';
import { listMails } from '../../../../contracts/admin/system.ts';
import { listAllTransfers } from '../../../../contracts/admin/transfers.ts';
import { listUsers } from '../../../../contracts/admin/users.ts';
import { listTransfers, TRANSFER_SORTS, TRANSFER_STATES } from '../../../../contracts/transfers/transfers.ts';
import { Client } from '../../../../testing/calls/client.ts';
import { FIRST_SESSION, seededId, seedLargeDatabase } from '../../../../testing/databases/large-database.ts';
import { measureStatements } from '../../../../testing/databases/statement-cost.ts';
import { onlyInAll } from '../../../../testing/lib/only-in-all.ts';
import { startTestServer } from '../../../../testing/test-context.ts';
import { type Db, isSqlite } from '../open.ts';
import { fillSearchIndex } from './fill-search-index.ts';
import type { SearchKind, SearchTables } from './search-documents.ts';
import { findSearchCandidates } from './search-index.ts';

const ALPHABET = [...'abIiıİſsSßΣσςKkK%_\\"\'* äÄЖж語\u{1f600}\u{10400}\u0307Å'];
const TEXTS = 120;

/** Texts and needles that the lists match, although the tokenizer folds them differently. */
const FOLDED = [
  ['xx İstanbul', 'xx İSTANBUL'.toLowerCase()],
  ['xx İstanbul', 'i\u0307stan'],
  ['ΟΔΟΣ xx', 'οδος'],
  ['ΟΔΟΣ xx', 'ΔΟΣ'],
  ['\u212a\u212aä', 'kkÄ'],
  ['\u212bngström', 'ÅNGSTRÖM'],
] as const;

/** Returns the same sequence of numbers from 0 to 1 in every run. */
function seededRandom(): () => number {
  let state = 17;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function startFilled(t: TestContext) {
  const server = await startTestServer(t);
  const { db } = server.context;
  await seedLargeDatabase(db, { users: 400, transfers: 2_500, filesOfLargest: 3 }, server.clock.now());
  const client = new Client(server.url);
  client.jar.add({ name: 'sendwell_session', value: FIRST_SESSION, path: '/' });
  return { server, db, client, tables: db.withTables<SearchTables>() };
}

async function setComplete(db: Db, isComplete: boolean): Promise<void> {
  await db
    .withTables<SearchTables>()
    .updateTable('searchProgress')
    .set({ isComplete: isComplete ? 1 : 0 })
    .execute();
}

async function searchEverywhere(client: Client, search: string): Promise<string[][]> {
  const lists: { id: string }[][] = [
    await client.call(listUsers, { query: { search } }),
    await client.call(listUsers, { query: { search, sort: 'storage' } }),
    await client.call(listMails, { query: { search } }),
    await client.call(listAudit, { query: { search } }),
    await client.call(listAllTransfers, { query: { search } }),
  ];
  for (const sort of ['newest', 'expiry', 'title'] as const)
    lists.push(await client.call(listTransfers, { query: { search, sort } }));
  return lists.map((rows) => rows.map(({ id }) => id));
}

test('every search finds the same rows with and without the index', onlyInAll, async (t) => {
  const { db, client, tables } = await startFilled(t);
  if (!isSqlite(db)) return t.skip('only SQLite has the index');
  const random = seededRandom();
  const pick = (count: number) => Math.floor(random() * count);
  const makeText = (length: number) => Array.from({ length }, () => ALPHABET[pick(ALPHABET.length)]).join('');
  const texts = [
    ...FOLDED.map(([text]) => text),
    ...Array.from({ length: TEXTS }, () => makeText(3 + pick(12))),
  ];
  for (const [index, text] of texts.entries()) {
    const own = seededId('t', index * 10);
    await db.updateTable('users').set({ name: text }).where('id', '=', seededId('u', index)).execute();
    if (index % 2 === 0)
      await db.updateTable('transfers').set({ title: text }).where('id', '=', own).execute();
    else await db.updateTable('files').set({ relativePath: text }).where('transferId', '=', own).execute();
  }
  const mails = await db.selectFrom('mails').select('id').limit(texts.length).execute();
  for (const [index, { id }] of mails.entries())
    await db.updateTable('mails').set({ subject: texts[index]! }).where('id', '=', id).execute();
  const acts = await db.selectFrom('auditLog').select('id').limit(texts.length).execute();
  for (const [index, { id }] of acts.entries())
    await db.updateTable('auditLog').set({ subject: texts[index]! }).where('id', '=', id).execute();
  await fillSearchIndex(db);
  assert.deepEqual(await tables.selectFrom('searchPending').select('id').execute(), []);

  const needles: string[] = texts.slice(0, 25).map((text) => {
    const characters = [...text];
    const start = pick(characters.length - 2);
    const needle = characters.slice(start, start + 3 + pick(4)).join('');
    return [needle, needle.toLowerCase(), needle.toUpperCase()][pick(3)]!;
  });
  needles.push(
    'ab',
    '%',
    '_',
    'nowhere',
    'person1',
    'file',
    '"OR"',
    'a AND b',
    "x'y",
    'ΣΣΣ',
    'straße',
    'İİİ',
  );
  for (const [text, needle] of FOLDED) {
    await setComplete(db, true);
    const found = await client.call(listUsers, { query: { search: needle } });
    assert.ok(
      found.some(({ name }) => name === text),
      `${needle} finds ${text}`,
    );
  }
  let hits = 0;
  for (const search of needles.filter((needle) => needle.trim() !== '')) {
    await setComplete(db, true);
    const withIndex = await searchEverywhere(client, search);
    await setComplete(db, false);
    assert.deepEqual(withIndex, await searchEverywhere(client, search), JSON.stringify(search));
    hits += withIndex.flat().length;
  }
  assert.ok(hits > 100, 'the texts match too rarely to prove anything');
});

test('the index follows changes of rows at once, and the job indexes them', async (t) => {
  const { db, client, tables } = await startFilled(t);
  if (!isSqlite(db)) return t.skip('only SQLite has the index');
  await fillSearchIndex(db);
  const find = async (search: string) =>
    (await client.call(listTransfers, { query: { search } })).map(({ id }) => id);
  const candidates = (kind: SearchKind, text: string) => findSearchCandidates(db, { kind, text });
  const [first, second] = [seededId('t', 10), seededId('t', 20)];

  await db.updateTable('transfers').set({ title: 'Zebra crossing' }).where('id', '=', first).execute();
  assert.deepEqual(await find('zebra'), [first]);
  await fillSearchIndex(db);
  assert.deepEqual(await candidates('transfers', 'zebra'), [first]);
  assert.deepEqual(await find('zebra'), [first]);

  await db.updateTable('transfers').set({ title: null }).where('id', '=', first).execute();
  assert.deepEqual(await find('zebra'), []);
  await fillSearchIndex(db);
  assert.deepEqual(await candidates('transfers', 'zebra'), []);

  const recipient = { transferId: second, email: 'okapi@example.org' };
  const known = await db.selectFrom('transferRecipients').selectAll().limit(1).executeTakeFirstOrThrow();
  await db
    .insertInto('transferRecipients')
    .values({ ...known, ...recipient, id: 'okapi', token: 'okapi' } as never)
    .execute();
  assert.deepEqual(await find('okapi'), [second]);
  const file = await db
    .selectFrom('files')
    .selectAll()
    .where('transferId', '=', second)
    .executeTakeFirstOrThrow();
  const added = { ...file, id: 'quokka', position: 77, relativePath: 'quokka.txt' };
  await db.insertInto('files').values(added).execute();
  assert.deepEqual(await find('quokka'), [second]);
  await fillSearchIndex(db);
  assert.deepEqual(await candidates('transfers', 'quokka'), [second]);
  assert.deepEqual(await candidates('transfers', 'okapi'), [second]);

  await db.updateTable('transfers').set({ status: 'deleting' }).where('id', '=', second).execute();
  await fillSearchIndex(db);
  assert.deepEqual(await candidates('transfers', 'quokka'), []);
  await db.updateTable('transfers').set({ status: 'ready' }).where('id', '=', second).execute();
  assert.deepEqual(await find('quokka'), [second]);
  await db.deleteFrom('transfers').where('id', '=', second).execute();
  await fillSearchIndex(db);
  assert.deepEqual(await candidates('transfers', 'quokka'), []);
  const left = await tables.selectFrom('searchDocuments').select('id').where('id', '=', second).execute();
  assert.deepEqual(left, []);
});

test('a search uses no index while it is incomplete or many rows have changed', async (t) => {
  const { db, tables } = await startFilled(t);
  if (!isSqlite(db)) return t.skip('only SQLite has the index');
  const candidates = () => findSearchCandidates(db, { kind: 'users', text: 'nowhere' });
  assert.equal(await candidates(), undefined);
  await fillSearchIndex(db);
  assert.deepEqual(await candidates(), []);
  assert.equal(await findSearchCandidates(db, { kind: 'users', text: 'no' }), undefined);
  assert.equal(await findSearchCandidates(db, { kind: 'users', text: 'person', limit: 10 }), undefined);
  const changed = Array.from({ length: 2_001 }, (_, index) => ({ kind: 'users' as const, id: `x${index}` }));
  await tables.insertInto('searchPending').values(changed).execute();
  assert.equal(await candidates(), undefined);
  await fillSearchIndex(db);
  assert.deepEqual(await candidates(), []);
});

test('an indexed search reads candidates only', async (t) => {
  const { db, client } = await startFilled(t);
  if (!isSqlite(db)) return t.skip('only SQLite has the index');
  await fillSearchIndex(db);
  await db.updateTable('transfers').set({ title: 'Zebra' }).where('id', '=', seededId('t', 10)).execute();
  await db.updateTable('users').set({ name: 'Zebra' }).where('id', '=', seededId('u', 3)).execute();
  const mail = await db.selectFrom('mails').select('id').executeTakeFirstOrThrow();
  await db.updateTable('mails').set({ subject: 'Zebra' }).where('id', '=', mail.id).execute();
  const act = await db.selectFrom('auditLog').select('id').executeTakeFirstOrThrow();
  await db.updateTable('auditLog').set({ subject: 'Zebra' }).where('id', '=', act.id).execute();
  await fillSearchIndex(db);
  // Changed rows are candidates. With many, SQLite could prefer an index of another condition.
  for (const kind of ['transfers', 'users', 'mails', 'auditLog'] as const) {
    const changed = Array.from({ length: 1_500 }, (_, index) => ({ kind, id: `x${index}` }));
    await db.withTables<SearchTables>().insertInto('searchPending').values(changed).execute();
  }
  const statements = measureStatements(t);
  await searchEverywhere(client, 'zebra');
  await client.call(listMails, { query: { search: 'zebra', state: 'failed' } });
  await client.call(listUsers, { query: { search: 'zebra', role: 'admin', sort: 'email' } });
  for (const sort of ['newest', 'oldest', 'expiry', 'size'] as const)
    for (const state of [undefined, 'active', 'expired'] as const)
      await client.call(listAllTransfers, { query: { search: 'zebra', sort, state } });
  for (const sort of TRANSFER_SORTS)
    for (const state of TRANSFER_STATES)
      await client.call(listTransfers, { query: { search: 'zebra', sort, state } });
  const lists = statements.costs().filter(({ sql: text }) => text.includes('as "isWanted"'));
  const tables = new Set<string>();
  const wrong: string[] = [];
  for (const { sql: text } of lists) {
    const table = /"isWanted".*? from "(\w+)" where/.exec(text)![1]!;
    tables.add(table);
    const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${text}`).execute(db);
    const found = rows.find(({ detail }) => new RegExp(`^(SEARCH|SCAN) ${table}\\b`).test(detail))?.detail;
    if (!/\bid=\?/.test(String(found))) wrong.push(`${found}: ${text.replace(/in \([?, ]*\)/, 'in (…)')}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...tables].sort(), ['auditLog', 'mails', 'transfers', 'users']);
  const matches = statements.costs().filter(({ sql: text }) => text.includes(' match '));
  assert.equal(matches.length, 4);
  for (const { sql: text } of matches) {
    const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${text}`).execute(db);
    assert.match(rows[0]!.detail, /VIRTUAL TABLE INDEX .*M/);
    assert.match(rows[1]!.detail, /INTEGER PRIMARY KEY/);
  }
});
