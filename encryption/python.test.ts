/** Against an implementation in another language, and the values it computed. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { type EncryptionParams, SEGMENT_PLAIN_BYTES } from '../contracts/transfers/encryption.ts';
import { MIB } from '../contracts/values/sizes.ts';
import { directoryBytes, layOutFiles, localHeaderBytes } from '../contracts/zip/file-zip.ts';
import {
  accessKeyFromPython,
  contentOf,
  openRequestWithPython,
  openWithPython,
  sealWithPython,
  vectorsFromPython,
  withPython,
} from '../testing/encryption/python.ts';
import { sealChunks } from '../testing/encryption/send-encrypted.ts';
import { onlyInAll } from '../testing/lib/only-in-all.ts';
import { type Bytes, fromBase64Url, toBase64Url } from './bytes.ts';
import { createEncryption, deriveKeys } from './keys.ts';
import { encryptedLink, parseKey } from './link.ts';
import { type Manifest, openManifest, sealManifest } from './manifest.ts';
import { openPictures } from './pictures.ts';
import { createInboxKey, sealLinkSecret } from './requests.ts';
import { createFileId, openSegments } from './segments.ts';

const CHUNK_PLAIN = 5 * SEGMENT_PLAIN_BYTES;
const SIZES = [
  0,
  1,
  SEGMENT_PLAIN_BYTES - 1,
  SEGMENT_PLAIN_BYTES,
  SEGMENT_PLAIN_BYTES + 1,
  CHUNK_PLAIN - 1,
  CHUNK_PLAIN,
  CHUNK_PLAIN + 1,
  5 * MIB,
  20 * MIB,
];
const FILES = SIZES.map((size) => ({ path: `Été/${size} bytes.bin`, size }));

type SealedFile = { fileId: string; plain: string; sealed: string };
type SealedDocument<Plain> = { revision: number; plain: Plain; sealed: string };
type Vector = {
  link: string;
  password: string | null;
  encryption: EncryptionParams;
  accessKey: string;
  accessKeyHash: string;
  file: SealedFile;
  emptyFile: SealedFile;
  manifest: SealedDocument<Manifest>;
  pictures: SealedDocument<Record<string, string>>;
};
const VECTORS: Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../docs/formats/e2ee-vectors.json'), 'utf8'),
);

test('the vectors of the format document', async () => {
  for (const vector of VECTORS) {
    const keys = await deriveKeys({
      linkSecret: parseKey(vector.link)!,
      password: vector.password ?? undefined,
      params: vector.encryption,
    });
    assert.equal(keys.accessKey, vector.accessKey);
    const hash = await crypto.subtle.digest('SHA-256', fromBase64Url(keys.accessKey));
    assert.equal(toBase64Url(new Uint8Array(hash)), vector.accessKeyHash);
    for (const { fileId, plain, sealed } of [vector.file, vector.emptyFile]) {
      const bytes = fromBase64Url(plain);
      const place = { fileId, plainBytes: bytes.length, firstSegment: 0 };
      assert.deepEqual(await openSegments(keys.content, place, fromBase64Url(sealed)), bytes);
    }
    const { manifest, pictures } = vector;
    const opened = await openManifest(keys.manifest, fromBase64Url(manifest.sealed), manifest.revision);
    assert.deepEqual(opened, manifest.plain);
    const drawn = await openPictures(keys.pictures, fromBase64Url(pictures.sealed), pictures.revision);
    for (const [fileId, bytes] of Object.entries(pictures.plain))
      assert.deepEqual(drawn.get(fileId), { mimeType: 'image/webp', bytes: fromBase64Url(bytes) });
  }
});

for (const password of [undefined, 'pa\u0308ss wort']) {
  const kind = password ? 'with a password' : 'without password';
  const options = password ? withPython : { ...withPython, ...onlyInAll };

  test(`Python opens what was sealed here, ${kind}, as files and as the zip`, options, async (t) => {
    const folder = temporaryFolder(t);
    const { linkSecret, params, keys } = await createEncryption({ password });
    const sealed = await Promise.all(
      FILES.map(async ({ path, size }) => {
        const fileId = createFileId();
        return { fileId, bytes: await sealChunks(keys, fileId, contentOf(path, size)) };
      }),
    );
    const manifest: Manifest = {
      version: 1,
      title: 'Title',
      message: null,
      files: sealed.map(({ fileId }, index) => ({
        ...FILES[index]!,
        fileId,
        modifiedAt: null,
        mimeType: 'application/octet-stream',
        crc32: null,
        sha256: null,
      })),
    };
    mkdirSync(join(folder, 'encrypted'));
    for (const { fileId, bytes } of sealed) writeFileSync(join(folder, 'encrypted', fileId), bytes);
    writeFileSync(join(folder, 'all.zip'), zipOf(sealed));
    writeFileSync(join(folder, 'view.json'), JSON.stringify({ encryption: params }));
    writeFileSync(join(folder, 'manifest.7'), await sealManifest(keys.manifest, manifest, 7));
    const transfer = {
      link: encryptedLink('https://sendwell.example', 'token', linkSecret),
      viewFile: join(folder, 'view.json'),
      manifestFile: join(folder, 'manifest.7'),
      password,
    };
    for (const source of ['encrypted', 'all.zip']) {
      const out = join(folder, `from ${source}`);
      openWithPython({ ...transfer, source: join(folder, source), out });
      for (const { path, size } of FILES)
        assert.ok(readFileSync(join(out, path)).equals(contentOf(path, size)), path);
    }
    assert.equal(accessKeyFromPython(transfer), keys.accessKey);
    assert.throws(() => accessKeyFromPython({ ...transfer, link: `https://x/e/t#1.${'A'.repeat(43)}` }));
  });

  test(`what Python sealed is opened here, ${kind}`, withPython, async (t) => {
    const folder = temporaryFolder(t);
    const link = sealWithPython(folder, { password: password ?? null, files: FILES });
    const { encryption } = JSON.parse(readFileSync(join(folder, 'view.json'), 'utf8'));
    const keys = await deriveKeys({ linkSecret: parseKey(link)!, password, params: encryption });
    const manifest = await openManifest(keys.manifest, read(join(folder, 'manifest.1')), 1);
    assert.deepEqual(
      manifest.files.map(({ path, size }) => ({ path, size })),
      FILES,
    );
    for (const { fileId, path, size, crc32: crc } of manifest.files) {
      const place = { fileId, plainBytes: size, firstSegment: 0 };
      const opened = await openSegments(keys.content, place, read(join(folder, fileId)));
      assert.ok(Buffer.from(opened).equals(contentOf(path, size)), path);
      assert.equal(crc32(opened), crc);
    }
  });
}

test('Python opens the sealed key of a request, and no other one', withPython, async (t) => {
  const folder = temporaryFolder(t);
  const [invitationId, id] = ['0123456789abcdefghijklmnop', 'ponmlkjihgfedcba9876543210'];
  const inbox = { invitationId, ...(await createInboxKey()) };
  const { linkSecret } = await createEncryption();
  const sealedKey = await sealLinkSecret(inbox.publicKey, { invitationId, transferId: id }, linkSecret);
  const keysFile = join(folder, 'keys.json');
  writeFileSync(
    keysFile,
    JSON.stringify({ format: 'sendwell-keys', version: 1, keys: [], inboxes: [inbox] }),
  );
  const transferFile = join(folder, 'transfer.json');
  const open = (transferId: string) => {
    const transfer = { id: transferId, token: 'token', receivedKey: { invitationId, sealedKey } };
    writeFileSync(transferFile, JSON.stringify(transfer));
    return openRequestWithPython({ keysFile, transferFile, host: 'https://sendwell.example' });
  };
  assert.equal(open(id), encryptedLink('https://sendwell.example', 'token', linkSecret));
  assert.throws(() => open(invitationId));
});

test('the opener releases no damaged file, and writes nothing outside its folder', withPython, (t) => {
  const folder = temporaryFolder(t);
  const open = (link: string, out: string) =>
    openWithPython({
      link,
      viewFile: join(folder, 'view.json'),
      manifestFile: join(folder, 'manifest.1'),
      source: folder,
      out: join(folder, out),
    });
  const link = sealWithPython(folder, { password: null, files: [{ path: 'a', size: 2 * MIB }] });
  const name = readdirSync(folder).find((each) => /^[0-9a-f]{32}$/.test(each))!;
  const whole = readFileSync(join(folder, name));
  const changed = Buffer.from(whole);
  changed[MIB + 100]! ^= 1;
  const pieces = [
    changed,
    whole.subarray(0, MIB),
    whole.subarray(0, -1),
    Buffer.concat([whole, Buffer.from('x')]),
  ];
  for (const bytes of pieces) {
    writeFileSync(join(folder, name), bytes);
    assert.throws(() => open(link, 'out'));
    assert.ok(!readdirSync(join(folder, 'out')).includes('a'));
  }
  const evil = sealWithPython(folder, { password: null, files: [{ path: '../evil', size: 1 }] });
  assert.throws(() => open(evil, 'out'), /refused/);
  assert.ok(!readdirSync(folder).includes('evil'));
});

test('the vectors are those of the sealing script', withPython, () => {
  // Other builds of zlib compress the manifest to other bytes.
  const uncompressed = (vectors: Vector[]) =>
    vectors.map(({ manifest: { sealed, ...manifest }, ...rest }) => ({ ...rest, manifest }));
  assert.deepEqual(uncompressed(JSON.parse(vectorsFromPython())), uncompressed(VECTORS));
});

/** As the server's `/all`. */
function zipOf(sealed: { fileId: string; bytes: Buffer }[]): Buffer {
  const layout = layOutFiles(
    sealed.map(({ fileId, bytes }) => ({
      path: fileId,
      sizeBytes: bytes.length,
      crc32: crc32(bytes),
      modifiedAt: 0,
    })),
  );
  const pieces = sealed.flatMap(({ bytes }, index) => [localHeaderBytes(layout, index), bytes]);
  return Buffer.concat([...pieces, directoryBytes(layout)]);
}

function read(path: string): Bytes {
  return new Uint8Array(readFileSync(path));
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2ee-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
