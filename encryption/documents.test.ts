import assert from 'node:assert/strict';
import test from 'node:test';
import { isManifestSize, plainSize } from '../contracts/transfers/encryption.ts';
import { randomBytes, utf8 } from './bytes.ts';
import { DamagedSegmentError, UnknownFormatError } from './errors.ts';
import { gzip } from './gzip.ts';
import { createEncryption } from './keys.ts';
import { type Manifest, openManifest, sealManifest } from './manifest.ts';
import { openPictures, PICTURES_MAX, type Picture, sealPictures } from './pictures.ts';
import { sealDocument } from './sealed-documents.ts';
import { createFileId } from './segments.ts';

const { keys } = await createEncryption();

function manifestOf(count: number): Manifest {
  return {
    version: 1,
    title: 'Été 2026',
    message: 'Two\nlines',
    files: Array.from({ length: count }, (_, index) => ({
      fileId: createFileId(),
      path: `Photos/${index} é.jpg`,
      size: index,
      modifiedAt: index % 2 ? null : 1_700_000_000_000 + index,
      mimeType: 'image/jpeg',
      crc32: index % 3 ? null : 2 ** 32 - 1,
      sha256: index % 3 ? null : 'ab'.repeat(32),
    })),
  };
}

test('a manifest is opened as it was sealed, and its length tells little', async () => {
  for (const count of [0, 1, 10_000]) {
    const manifest = manifestOf(count);
    const sealed = await sealManifest(keys.manifest, manifest, 3);
    assert.ok(isManifestSize(sealed.length));
    assert.deepEqual(await openManifest(keys.manifest, sealed, 3), manifest);
  }
  const lengths = [1, 2, 3].map(
    async (count) => (await sealManifest(keys.manifest, manifestOf(count), 1)).length,
  );
  assert.equal(new Set(await Promise.all(lengths)).size, 1);
});

test('a manifest of 100,000 files fits', async () => {
  const sealed = await sealManifest(keys.manifest, manifestOf(100_000), 1);
  assert.equal((await openManifest(keys.manifest, sealed, 1)).files.length, 100_000);
});

test('another revision, key, kind or length is damage', async () => {
  const sealed = await sealManifest(keys.manifest, manifestOf(2), 2);
  const damaged = (promise: Promise<unknown>) => assert.rejects(promise, DamagedSegmentError);
  await damaged(openManifest(keys.manifest, sealed, 1));
  await damaged(openManifest(keys.pictures, sealed, 2));
  await damaged(openPictures(keys.manifest, sealed, 2));
  await damaged(openManifest(keys.manifest, sealed.slice(0, -1), 2));
  await damaged(openManifest(keys.manifest, new Uint8Array(), 2));
});

test('sealed content that is no manifest of this version is an unknown format', async () => {
  const manifest = manifestOf(1);
  const twice = { ...manifest, files: [manifest.files[0], manifest.files[0]] };
  const heads = [
    utf8('not gzip'),
    await gzip(utf8('not json')),
    await gzip(new Uint8Array([0x22, 0xff, 0x22])),
    await gzip(utf8(JSON.stringify({ ...manifest, version: 2 }))),
    await gzip(utf8(JSON.stringify(twice))),
    await gzip(new Uint8Array(257 * 1024 * 1024)),
  ];
  for (const head of heads) {
    const sealed = await sealDocument(keys.manifest, { kind: 'manifest', revision: 1, head });
    await assert.rejects(openManifest(keys.manifest, sealed, 1), UnknownFormatError);
  }
});

test('a manifest that recipients would refuse is not sealed', async () => {
  const manifest = manifestOf(1);
  const [file] = manifest.files;
  for (const change of [{ path: '' }, { path: 'a\0b' }, { size: -1 }, { fileId: 'x' }, { crc32: 2 ** 32 }])
    await assert.rejects(sealManifest(keys.manifest, { ...manifest, files: [{ ...file!, ...change }] }, 1));
});

test('pictures are opened as they were sealed', async () => {
  const pictures = new Map<string, Picture>([
    [createFileId(), { mimeType: 'image/webp', bytes: randomBytes(3000) }],
    [createFileId(), { mimeType: 'image/png', bytes: randomBytes(0) }],
    [createFileId(), { mimeType: 'image/jpeg', bytes: randomBytes(50_000) }],
  ]);
  const sealed = await sealPictures(keys.pictures, pictures, 7);
  assert.equal(plainSize(sealed.length)! % 4096, 0);
  assert.deepEqual(await openPictures(keys.pictures, sealed, 7), pictures);
  assert.deepEqual(
    await openPictures(keys.pictures, await sealPictures(keys.pictures, new Map(), 1), 1),
    new Map(),
  );
});

test('pictures of other types, or longer than what was sealed, are an unknown format', async () => {
  const picture = { fileId: createFileId(), mimeType: 'image/svg+xml', size: 1 };
  const lists = [[picture], [{ ...picture, mimeType: 'image/png', size: 5000 }]];
  for (const list of lists) {
    const head = utf8(JSON.stringify({ version: 1, pictures: list }));
    const sealed = await sealDocument(keys.pictures, { kind: 'pictures', revision: 1, head });
    await assert.rejects(openPictures(keys.pictures, sealed, 1), UnknownFormatError);
  }
});

test('more pictures than the format allows are not sealed', async () => {
  const picture: Picture = { mimeType: 'image/webp', bytes: randomBytes(1) };
  const pictures = (count: number) => new Map(Array.from({ length: count }, () => [createFileId(), picture]));
  assert.ok(await sealPictures(keys.pictures, pictures(PICTURES_MAX), 1));
  await assert.rejects(sealPictures(keys.pictures, pictures(PICTURES_MAX + 1), 1));
});
