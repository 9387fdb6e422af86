/** Changes that a hostile server, or someone with access to its disk, can make to the stored bytes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { SEGMENT_BYTES, SEGMENT_PLAIN_BYTES, segmentCount } from '../contracts/transfers/encryption.ts';
import { isShortRun } from '../testing/lib/only-in-all.ts';
import { type SeededRandom, seedRandom } from '../testing/lib/seeded-random.ts';
import { type Bytes, concatBytes, randomBytes } from './bytes.ts';
import { DamagedSegmentError } from './errors.ts';
import { createEncryption } from './keys.ts';
import { type Manifest, openManifest, sealManifest } from './manifest.ts';
import {
  createFileId,
  openSegments,
  openSegmentsInParts,
  type SegmentPlace,
  sealSegments,
} from './segments.ts';

const TRANSFERS = isShortRun ? 1_000 : 10_000;
const MANIFESTS = 500;

type File = { fileId: string; plain: Bytes; sealed: Bytes };
/** Sealed bytes by file id, as the server serves them. */
type Served = Map<string, Bytes>;

const [own, foreign] = await Promise.all([createEncryption(), createEncryption()]);

const LARGE = 2 * SEGMENT_PLAIN_BYTES + 100;
const files = await Promise.all(
  [LARGE, LARGE, SEGMENT_PLAIN_BYTES, 300, 300, 7, 0].map((size) => seal(size)),
);
/**
 * What the server may have kept: other versions of the files, which have ids of their own, and files of another
 * transfer with the same ids.
 */
const others = await Promise.all([
  ...files.map(({ plain }) => seal(plain.length)),
  ...files.map(({ plain }) => seal(plain.length + 1)),
  ...files.map(({ fileId, plain }) => seal(plain.length, { fileId, keys: foreign.keys })),
]);

async function seal(size: number, { fileId = createFileId(), keys = own.keys } = {}): Promise<File> {
  // WebCrypto gives at most 64 KiB of random bytes at once.
  const noise = randomBytes(Math.min(size, 65_521));
  const plain = Uint8Array.from({ length: size }, (_, index) => noise[index % noise.length]!);
  const place = { fileId, plainBytes: size, firstSegment: 0 };
  return { fileId, plain, sealed: await sealSegments(keys.content, place, plain) };
}

const pick = <Item>(random: SeededRandom, items: readonly Item[]): Item =>
  items[random.between(0, items.length - 1)]!;

type Mutation = (served: Served, random: SeededRandom) => void;

/** Chooses small files more often, because opening a changed large segment takes milliseconds. */
function pickFile(random: SeededRandom): File {
  return pick(random, random.between(0, 4) === 0 ? files : files.slice(3));
}

function change(edit: (bytes: Bytes, random: SeededRandom) => Bytes): Mutation {
  return (served, random) => {
    const { fileId } = pickFile(random);
    served.set(fileId, edit(served.get(fileId)!.slice(), random));
  };
}

const pickSegment = (bytes: Bytes, random: SeededRandom) =>
  random.between(0, Math.ceil(bytes.length / SEGMENT_BYTES) - 1) * SEGMENT_BYTES;
const segmentAt = (bytes: Bytes, start: number) => bytes.slice(start, start + SEGMENT_BYTES);
const replaceSegment = (bytes: Bytes, start: number, segment: Bytes) =>
  concatBytes(bytes.subarray(0, start), segment, bytes.subarray(start + SEGMENT_BYTES));

const MUTATIONS: Record<string, Mutation> = {
  flip: change((bytes, random) => {
    bytes[random.between(0, bytes.length - 1)]! ^= 1 << random.between(0, 7);
    return bytes;
  }),
  cut: change((bytes, random) => bytes.slice(0, random.between(0, bytes.length - 1))),
  cutSegments: change((bytes, random) => bytes.slice(0, pickSegment(bytes, random))),
  remove: change((bytes, random) => {
    const start = random.between(0, bytes.length - 1);
    return concatBytes(bytes.subarray(0, start), bytes.subarray(random.between(start, bytes.length) + 1));
  }),
  removeSegment: change((bytes, random) =>
    replaceSegment(bytes, pickSegment(bytes, random), new Uint8Array()),
  ),
  extend: change((bytes, random) => concatBytes(bytes, randomBytes(random.between(1, 100)))),
  extendBySegment: change((bytes, random) =>
    concatBytes(bytes, segmentAt(bytes, pickSegment(bytes, random))),
  ),
  repeat: change((bytes, random) => {
    const start = pickSegment(bytes, random);
    return replaceSegment(bytes, start, concatBytes(segmentAt(bytes, start), segmentAt(bytes, start)));
  }),
  overwrite: change((bytes, random) =>
    replaceSegment(bytes, pickSegment(bytes, random), segmentAt(bytes, pickSegment(bytes, random))),
  ),
  swapWithin: change((bytes, random) => {
    const [first, second] = [pickSegment(bytes, random), pickSegment(bytes, random)];
    const swapped = replaceSegment(bytes, first, segmentAt(bytes, second));
    return first < second && bytes.length - second < SEGMENT_BYTES
      ? concatBytes(swapped.subarray(0, first), segmentAt(bytes, second), segmentAt(bytes, first))
      : replaceSegment(swapped, second, segmentAt(bytes, first));
  }),
  zero: change((bytes) => new Uint8Array(bytes.length)),
  splice: change((bytes, random) => {
    const other = pick(random, [...others, ...files]).sealed;
    return replaceSegment(bytes, pickSegment(bytes, random), segmentAt(other, pickSegment(other, random)));
  }),
  spliceTransfer: (served, random) => {
    const { fileId } = pickFile(random);
    const bytes = served.get(fileId)!;
    const { sealed } = others.find((other) => other.fileId === fileId)!;
    const start = pickSegment(sealed, random);
    served.set(fileId, replaceSegment(bytes, start, segmentAt(sealed, start)));
  },
  replaceFile: (served, random) => void served.set(pickFile(random).fileId, pick(random, others).sealed),
  swapFiles: (served, random) => {
    const [first, second] = [pickFile(random), pickFile(random)];
    served.set(first.fileId, second.sealed);
    served.set(second.fileId, first.sealed);
  },
  forget: (served, random) => void served.set(pickFile(random).fileId, new Uint8Array()),
};

/** Opens a file as recipients do: until its last segment is open. Returns false if it reported damage. */
async function receive(
  { fileId, plain, sealed }: File,
  bytes: Bytes,
  random: SeededRandom,
): Promise<boolean> {
  const count = segmentCount(plain.length);
  for (let segment = 0; segment < count; ) {
    const wanted = random.between(1, count - segment);
    const start = segment * SEGMENT_BYTES;
    const isLast = segment + wanted === count;
    const piece = bytes.slice(start, isLast ? bytes.length : start + wanted * SEGMENT_BYTES);
    // Unchanged pieces were opened before.
    const isUnchanged = isEqual(piece, sealed.subarray(start, start + wanted * SEGMENT_BYTES));
    const place = { fileId, plainBytes: plain.length, firstSegment: segment };
    const opening = isUnchanged ? undefined : openBothWays(place, piece);
    const opened = await opening?.catch((error) => assert.ok(error instanceof DamagedSegmentError, error));
    if (!isUnchanged && !opened) return false;
    if (opened) {
      const plainStart = segment * SEGMENT_PLAIN_BYTES;
      const expected = plain.subarray(plainStart, plainStart + opened.length);
      assert.ok(isEqual(opened, expected), 'a damaged segment was released');
    }
    segment += Math.ceil(piece.length / SEGMENT_BYTES);
  }
  return true;
}

/** As the command line does, and as browsers do. */
async function openBothWays(place: SegmentPlace, sealed: Bytes): Promise<Bytes> {
  const [whole, parts] = await Promise.allSettled([
    openSegments(own.keys.content, place, sealed),
    openSegmentsInParts(own.keys.content, place, sealed),
  ]);
  assert.equal(whole.status, parts.status);
  if (whole.status === 'rejected' || parts.status === 'rejected') {
    const { reason } = parts as PromiseRejectedResult;
    assert.ok(reason instanceof DamagedSegmentError, reason);
    throw (whole as PromiseRejectedResult).reason;
  }
  assert.ok(isEqual(concatBytes(...parts.value), whole.value));
  return whole.value;
}

const isEqual = (a: Uint8Array, b: Uint8Array) => Buffer.from(a.buffer, a.byteOffset, a.length).equals(b);

test('the unchanged transfer is complete', async () => {
  for (const { fileId, plain, sealed } of files) {
    const opened = await openSegments(
      own.keys.content,
      { fileId, plainBytes: plain.length, firstSegment: 0 },
      sealed,
    );
    assert.ok(isEqual(opened, plain));
  }
});

test(`${TRANSFERS} changed transfers release no damaged segment and are never complete`, async (t) => {
  const random = seedRandom(t);
  const counts = new Map<string, number>();
  const original: Served = new Map(files.map(({ fileId, sealed }) => [fileId, sealed]));
  for (let done = 0; done < TRANSFERS; ) {
    const served = new Map(original);
    const names = Array.from({ length: random.between(1, 2) }, () => pick(random, Object.keys(MUTATIONS)));
    for (const name of names) MUTATIONS[name]!(served, random);
    const changed = files.filter(({ fileId, sealed }) => !isEqual(served.get(fileId)!, sealed));
    if (changed.length === 0) continue;
    done += 1;
    for (const file of changed) {
      const isComplete = await receive(file, served.get(file.fileId)!, random);
      assert.ok(!isComplete, `${names.join(', ')}: a changed file was reported as complete`);
    }
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  assert.equal(counts.size, Object.keys(MUTATIONS).length, 'every mutation was tried');
});

test('changed manifests, older revisions and those of other transfers are refused', async (t) => {
  const random = seedRandom(t);
  const manifest: Manifest = {
    version: 1,
    title: null,
    message: null,
    files: files.map(({ fileId, plain }) => ({
      fileId,
      path: `${fileId}.bin`,
      size: plain.length,
      modifiedAt: null,
      mimeType: 'application/octet-stream',
      crc32: null,
      sha256: null,
    })),
  };
  const sealed = await sealManifest(own.keys.manifest, manifest, 2);
  assert.deepEqual(await openManifest(own.keys.manifest, sealed, 2), manifest);
  const refused = [
    await sealManifest(own.keys.manifest, manifest, 1),
    await sealManifest(foreign.keys.manifest, manifest, 2),
    ...files.map((file) => file.sealed),
  ];
  for (let count = 0; count < MANIFESTS; count += 1) {
    const name = pick(random, ['flip', 'cut', 'remove', 'extend', 'zero']);
    const served: Served = new Map(files.map(({ fileId }) => [fileId, sealed]));
    MUTATIONS[name]!(served, random);
    refused.push(...[...served.values()].filter((bytes) => !isEqual(bytes, sealed)));
  }
  assert.ok(refused.length > MANIFESTS);
  for (const bytes of refused)
    await assert.rejects(openManifest(own.keys.manifest, bytes, 2), DamagedSegmentError);
});
