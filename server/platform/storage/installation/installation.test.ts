import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { ManualClock } from '../../../../testing/lib/manual-clock.ts';
import { isAppError } from '../../lib/app-error.ts';
import type { S3Objects } from '../s3/s3-objects.ts';
import { MemoryStore } from '../suite/memory.ts';
import { guardStore, isStorageOurs } from './installation-guard.ts';
import { bucketMarker, diskMarker, MARKER_NAME, UNREADABLE } from './installation-marker.ts';
import type { StorageKind } from './installation-record.ts';
import { decideVerdict, type Evidence, type Facts, NO_ANSWER } from './installation-verdict.ts';

const [OURS, THEIRS] = ['0'.repeat(26), '1'.repeat(26)];
const EMPTY = { isEmpty: true, isKnown: false };
const KNOWN = { isEmpty: false, isKnown: true };
const UNKNOWN = { isEmpty: false, isKnown: false };

function factsOf({
  id,
  recorded = ['disk'],
  claims = [],
  markers = {},
  emptyDisk,
  evidence,
}: {
  id?: string;
  recorded?: StorageKind[];
  claims?: string[];
  markers?: Partial<Record<StorageKind, string | undefined>>;
  emptyDisk?: { marker: string | undefined };
  evidence?: Evidence;
}): Facts {
  const named = Object.entries(markers) as [StorageKind, string | undefined][];
  return {
    record: id === undefined ? undefined : { id, storages: recorded },
    claims: new Set(claims),
    storages: named.map(([kind, marker]) => ({ kind, place: `the ${kind}`, marker })),
    emptyDisk: emptyDisk && { kind: 'disk', place: 'the folder', ...emptyDisk },
    evidence,
  };
}

function evidenceOf(named: number, found: number, storages: Evidence['storages']): Evidence {
  return { named, found, storages };
}

/** The expected verdict is its kind, or a pattern of the refusal's message. */
const TABLE: [name: string, facts: Facts, expected: string | RegExp][] = [
  ['the same id in both', factsOf({ id: OURS, markers: { disk: OURS } }), 'open'],
  ['another id in the storage', factsOf({ id: OURS, markers: { disk: THEIRS } }), /another Sendwell install/],
  ['a damaged marker', factsOf({ id: OURS, markers: { disk: UNREADABLE } }), /another Sendwell install/],
  [
    'no marker where there was one',
    factsOf({ id: OURS, markers: { disk: undefined } }),
    /not have its marker.*mounted/,
  ],
  [
    'a bucket that lost its marker',
    factsOf({ id: OURS, recorded: ['bucket'], markers: { bucket: undefined } }),
    /not have its marker.*S3_BUCKET/,
  ],
  [
    'a bucket that does not answer: checked before it is used',
    factsOf({ id: OURS, recorded: ['bucket'], markers: { bucket: NO_ANSWER } }),
    'open',
  ],
  [
    'a bucket that joins and does not answer',
    factsOf({ id: OURS, markers: { disk: OURS, bucket: NO_ANSWER } }),
    /does not respond/,
  ],
  [
    'files in a bucket, and no bucket configured',
    factsOf({ id: OURS, recorded: ['bucket'], markers: { disk: OURS } }),
    /S3_BUCKET is not set/,
  ],
  [
    'an empty bucket that joins a disk with files',
    factsOf({
      id: OURS,
      markers: { disk: OURS, bucket: undefined },
      evidence: evidenceOf(10, 10, { disk: KNOWN, bucket: EMPTY }),
    }),
    'mark',
  ],
  [
    "a bucket that joins with somebody else's files",
    factsOf({
      id: OURS,
      markers: { disk: OURS, bucket: undefined },
      evidence: evidenceOf(10, 10, { disk: KNOWN, bucket: UNKNOWN }),
    }),
    /does not know/,
  ],
  [
    'an empty bucket in the place of the one that had most files already',
    factsOf({
      id: OURS,
      markers: { disk: OURS, bucket: undefined },
      evidence: evidenceOf(10, 1, { disk: KNOWN, bucket: EMPTY }),
    }),
    /only 1 are/,
  ],
  [
    'a bucket marked by a start that was killed',
    factsOf({ id: OURS, markers: { disk: OURS, bucket: OURS } }),
    'record',
  ],
  [
    'all files moved to the bucket',
    factsOf({
      id: OURS,
      recorded: ['disk', 'bucket'],
      markers: { bucket: OURS },
      emptyDisk: { marker: OURS },
    }),
    'record',
  ],
  [
    'the disk not mounted while files move to the bucket',
    factsOf({
      id: OURS,
      recorded: ['disk', 'bucket'],
      markers: { bucket: OURS },
      emptyDisk: { marker: undefined },
    }),
    /on a disk that is missing/,
  ],
  ['a new database on a marked storage', factsOf({ markers: { disk: THEIRS } }), /another Sendwell install/],
  [
    'a first start that was killed between marker and record',
    factsOf({ claims: [OURS], markers: { disk: OURS } }),
    'record',
  ],
  [
    'a first start that lost to another database',
    factsOf({ claims: [OURS], markers: { disk: THEIRS } }),
    /another Sendwell install/,
  ],
  [
    'a first start with a storage that does not answer',
    factsOf({ markers: { bucket: NO_ANSWER } }),
    /respond/,
  ],
  ['neither has an id', factsOf({ markers: { disk: undefined } }), 'examine'],
  [
    'neither has an id, both empty',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(0, 0, { disk: EMPTY }) }),
    'mark',
  ],
  [
    'neither has an id, files and rows match',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(10, 9, { disk: KNOWN }) }),
    'mark',
  ],
  [
    'neither has an id, only open uploads',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(0, 0, { disk: KNOWN }) }),
    'mark',
  ],
  [
    'neither has an id, an empty database on files',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(0, 0, { disk: UNKNOWN }) }),
    /database is empty/,
  ],
  [
    'neither has an id, rows on an empty storage',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(10, 0, { disk: EMPTY }) }),
    /refers to files, but the disk is empty.*mounted/,
  ],
  [
    'neither has an id, rows and files of two installations',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(10, 0, { disk: UNKNOWN }) }),
    /not those that it knows/,
  ],
  [
    'neither has an id, a second machine whose disk has few of the files',
    factsOf({ markers: { disk: undefined }, evidence: evidenceOf(10, 4, { disk: KNOWN }) }),
    /Of 10 files .* only 4/,
  ],
];

describe('verdicts on database and storage', () => {
  for (const [name, facts, expected] of TABLE)
    test(name, () => {
      const verdict = decideVerdict(facts);
      if (typeof expected === 'string') return assert.equal(verdict.kind, expected, JSON.stringify(verdict));
      assert.ok(verdict.kind === 'refuse', JSON.stringify(verdict));
      assert.match(verdict.sentence, expected);
    });
});

test('of many processes that create a marker on disk, exactly one wins', async (t) => {
  const root = await makeFolder(t);
  const ids = Array.from({ length: 8 }, (_, index) => String(index).repeat(26));
  await Promise.all(ids.map((id) => diskMarker(root).create(id)));
  const winner = await diskMarker(root).read();
  assert.ok(ids.includes(winner!));
  assert.deepEqual(await readdir(root), [MARKER_NAME]);
  await diskMarker(root).replace(THEIRS);
  assert.equal(await diskMarker(root).read(), THEIRS);
  await writeFile(join(root, MARKER_NAME), (await readFile(join(root, MARKER_NAME))).subarray(0, 9));
  assert.equal(await diskMarker(root).read(), UNREADABLE);
});

for (const condition of ['honored', 'ignored', 'refused'] as const)
  test(`of two processes that create a marker in a bucket, one wins if the condition is ${condition}`, async () => {
    const objects = fakeObjects(condition);
    const markers = [bucketMarker(objects), bucketMarker(objects)];
    await Promise.all([markers[0]!.create(OURS), markers[1]!.create(THEIRS)]);
    const [one, other] = await Promise.all(markers.map((marker) => marker.read()));
    assert.equal(one, other);
    assert.ok([OURS, THEIRS].includes(one!));
  });

test('a store without its marker refuses to write, remove and list, and reports no file as missing', async () => {
  let id: string | undefined = OURS;
  let reads = 0;
  const read = async () => {
    reads += 1;
    return id;
  };
  const marker = { ...diskMarker('/nowhere'), read };
  const clock = new ManualClock();
  const options = { installationId: OURS, marker, kind: 'disk' as const, place: 'the folder' };
  const memory = new MemoryStore({ clock });
  const store = guardStore(memory, options);
  const isUnavailable = (error: unknown) => isAppError(error, 'unavailable') && error.retryAfterSeconds! > 0;
  for (let index = 0; index < 1_000; index += 1) await store.prepare(placeOf(`key-${index}-0000000000`));
  assert.ok(reads < 10, `${reads} reads for 1,000 writes`);
  await assert.rejects(store.openRange('gone-0000000000000', 0, 1), (error) =>
    isAppError(error, 'file_not_found'),
  );
  for (const lost of [undefined, THEIRS]) {
    id = lost;
    assert.equal(await isStorageOurs(store), false);
    const refused = [
      store.prepare(placeOf('another-0000000000')),
      store.remove('key-1-0000000000'),
      store.check(),
      store.openRange('gone-0000000000000', 0, 1),
      Array.fromAsync(store.list()),
    ];
    for (const each of refused) await assert.rejects(each, isUnavailable);
  }
  assert.equal((await Array.fromAsync(memory.list())).length, 1_000);
  id = OURS;
  assert.equal(await isStorageOurs(store), true);
  await store.remove('key-1-0000000000');
});

function placeOf(storageKey: string) {
  return { storageKey, offset: 0, firstSlot: 0, sizeBytes: 1, chunkSize: 1, chunkCount: 1 };
}

function fakeObjects(condition: 'honored' | 'ignored' | 'refused'): S3Objects {
  let stored: string | undefined;
  const putText = async (_: string, text: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    stored = text;
  };
  return {
    getText: async () => stored,
    putText,
    async putTextIfAbsent(name: string, text: string) {
      if (condition === 'refused') return 'unsupported';
      if (condition === 'honored' && stored !== undefined) return 'exists';
      if (condition === 'honored') stored = text;
      else await putText(name, text);
      return 'created';
    },
  } as unknown as S3Objects;
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-marker-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
