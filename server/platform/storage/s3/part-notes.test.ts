import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { migrateToLatest } from '../../db/migrate.ts';
import { type Db, openDatabase } from '../../db/open.ts';
import { memoryPartNotes } from './part-notes.fixtures.ts';
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

  const begun = (multipartId: string) => ({ multipartId, carriesCrc32: multipartId === 'second' });

  test('keep the multipart upload that was saved first, until it is deleted', async () => {
    assert.equal(await notes().findMultipart('one'), undefined);
    assert.deepEqual(await notes().saveMultipart('one', begun('first')), begun('first'));
    assert.deepEqual(await notes().saveMultipart('one', begun('second')), begun('first'));
    await notes().savePart('one', note(0));
    await notes().deleteMultipart('one', 'second');
    assert.deepEqual(await notes().findMultipart('one'), begun('first'));
    assert.deepEqual(await listParts('one'), [note(0)]);
    await notes().deleteMultipart('one', 'first');
    assert.deepEqual(await listParts('one'), []);
    assert.deepEqual(await notes().saveMultipart('one', begun('second')), begun('second'));
    assert.deepEqual(await notes().findMultipart('one'), begun('second'));
    assert.equal(await notes().findMultipart('other'), undefined);
  });

  test('keep the first checksum that a part was bound to', async () => {
    assert.equal(await notes().bindPart('six', 3, 4_294_967_295), 4_294_967_295);
    assert.equal(await notes().bindPart('six', 3, 7), 4_294_967_295);
    assert.equal(await notes().bindPart('six', 4, 7), 7);
    assert.deepEqual([...(await notes().listBound('six', [3, 5]))], [[3, 4_294_967_295]]);
    assert.deepEqual([...(await notes().listBound('six', []))], []);
    await notes().clear('six');
    assert.deepEqual([...(await notes().listBound('six', [3, 4]))], []);
  });

  test('list parts in index order, each once', async () => {
    for (const index of [10, 2, 0]) await notes().savePart('two', note(index));
    await notes().savePart('two', { ...note(2), etag: '"again"' });
    await notes().savePart('other', note(1));
    assert.deepEqual(await listParts('two'), [note(0), { ...note(2), etag: '"again"' }, note(10)]);
  });

  test('find one part of a blob', async () => {
    await notes().savePart('seven', note(1));
    assert.deepEqual({ ...(await notes().findPart('seven', 1)) }, note(1));
    assert.equal(await notes().findPart('seven', 0), undefined);
    assert.equal(await notes().findPart('eight', 1), undefined);
  });

  test('delete one part', async () => {
    for (const index of [0, 1]) await notes().savePart('three', note(index));
    await notes().removePart('three', 0);
    await notes().removePart('three', 0);
    assert.deepEqual(await listParts('three'), [note(1)]);
  });

  test('delete the parts of one blob only', async () => {
    for (const key of ['four', 'five']) {
      await notes().saveMultipart(key, begun('id'));
      await notes().savePart(key, note(0));
    }
    await notes().clear('four');
    await notes().clear('four');
    assert.equal(await notes().findMultipart('four'), undefined);
    assert.deepEqual(await listParts('four'), []);
    assert.deepEqual(await notes().findMultipart('five'), begun('id'));
    assert.deepEqual(await listParts('five'), [note(0)]);
  });
}
