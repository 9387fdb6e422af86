import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { migrateToLatest } from '../db/migrate.ts';
import { type Db, openDatabase } from '../db/open.ts';
import { memoryPartNotes } from './memory-part-notes.ts';
import { dbPartNotes, type PartNotes } from './part-notes.ts';

describe('part notes in the database', () => {
  let db: Db;
  before(async () => {
    db = await openDatabase({ file: ':memory:' });
    await migrateToLatest(db);
  });
  after(() => db.destroy());
  testPartNotes(() => dbPartNotes(db));
});

describe('part notes in memory', () => {
  const notes = memoryPartNotes();
  testPartNotes(() => notes);
});

function testPartNotes(notes: () => PartNotes): void {
  const note = (index: number) => ({
    index,
    sizeBytes: 5_242_880,
    crc32: 4_294_967_295 - index,
    etag: `"${index}"`,
  });

  // SQLite's rows have no prototype.
  const listParts = async (key: string) => (await notes().listParts(key)).map((part) => ({ ...part }));

  test('keep the multipart upload that was saved last', async () => {
    assert.equal(await notes().findMultipart('one'), undefined);
    await notes().saveMultipart('one', 'first');
    await notes().saveMultipart('one', 'second');
    assert.equal(await notes().findMultipart('one'), 'second');
    assert.equal(await notes().findMultipart('other'), undefined);
  });

  test('list parts in index order, each once', async () => {
    for (const index of [10, 2, 0]) await notes().savePart('two', note(index));
    await notes().savePart('two', { ...note(2), etag: '"again"' });
    await notes().savePart('other', note(1));
    assert.deepEqual(await listParts('two'), [note(0), { ...note(2), etag: '"again"' }, note(10)]);
  });

  test('forget one part', async () => {
    for (const index of [0, 1]) await notes().savePart('three', note(index));
    await notes().removePart('three', 0);
    await notes().removePart('three', 0);
    assert.deepEqual(await listParts('three'), [note(1)]);
  });

  test('forget a blob, and only that', async () => {
    for (const key of ['four', 'five']) {
      await notes().saveMultipart(key, 'id');
      await notes().savePart(key, note(0));
    }
    await notes().clear('four');
    await notes().clear('four');
    assert.equal(await notes().findMultipart('four'), undefined);
    assert.deepEqual(await listParts('four'), []);
    assert.equal(await notes().findMultipart('five'), 'id');
    assert.deepEqual(await listParts('five'), [note(0)]);
  });
}
