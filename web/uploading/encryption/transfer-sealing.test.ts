import assert from 'node:assert/strict';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { beforeEach, test, vi } from 'vitest';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { encryptedSize, FILE_ID_PATTERN } from '../../../contracts/transfers/encryption.ts';
import { deriveKeys } from '../../../encryption/keys.ts';
import { parseKey } from '../../../encryption/link.ts';
import { openManifest } from '../../../encryption/manifest.ts';
import { openSegments } from '../../../encryption/segments.ts';
import { findKey, reduceKeys } from '../../key-ring/key-ring.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import { CapturingServer, makeFile, visit } from '../../testing/sealed-uploads.ts';
import { UploadEngine } from '../engine/upload-engine.ts';
import { createItem } from '../engine/upload-item.ts';
import { listDraftFiles, reduceDraftFiles } from './draft-files.ts';
import { readEncryptedUploads } from './encrypted-uploads.ts';
import { openSealing } from './open-sealing.ts';

const OWNER = 'vera';
const LARGE = 11_000_000;

beforeEach(keepDatabasesInMemory);

function startEngine(server: CapturingServer, password?: string): UploadEngine {
  visit(server);
  const engine = new UploadEngine(server.transport);
  engine.encryptWith((transferId) =>
    openSealing({ owner: OWNER, password, transferId, isReady: false, unfinished: undefined }),
  );
  return engine;
}

async function openManifestOf(server: CapturingServer) {
  const kept = (await findKey('t1'))!;
  const keys = await deriveKeys({ linkSecret: parseKey(kept.key)!, params: kept.params });
  const { sealed, revision } = server.manifests.at(-1)!;
  return await openManifest(keys.manifest, sealed, revision);
}

async function openAll(server: CapturingServer, password?: string) {
  const kept = (await findKey('t1'))!;
  const linkSecret = parseKey(kept.key)!;
  const keys = await deriveKeys({ linkSecret, params: kept.params, ...(password && { password }) });
  const { sealed, revision } = server.manifests.at(-1)!;
  const manifest = await openManifest(keys.manifest, sealed, revision);
  const files = await Promise.all(
    manifest.files.map(async ({ fileId, path, size, crc32 }) => {
      const place = { fileId, plainBytes: size, firstSegment: 0 };
      const bytes = await openSegments(keys.content, place, server.read(fileId));
      return { path, crc32, bytes: Buffer.from(bytes) };
    }),
  );
  return { manifest, files };
}

async function readAll(file: File): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let start = 0; start < file.size; start += CHUNK_BYTES) {
    const slice = file.slice(start, Math.min(file.size, start + CHUNK_BYTES));
    parts.push(Buffer.from(await slice.arrayBuffer()));
  }
  return Buffer.concat(parts);
}

test('what reaches the server opens with the key of the link, and names nothing', async () => {
  const server = new CapturingServer();
  const engine = startEngine(server, 'sesame');
  const picked = [makeFile('tour/canary-one.txt', LARGE), makeFile('canary-empty.txt', 0)];
  engine.add(
    picked.map((file, index) => createItem({ file, relativePath: index ? file.name : `tour/${file.name}` })),
  );
  await engine.submit(async () => ({
    title: ' canary-title ',
    message: 'canary-message',
    password: 'sesame',
    maxDownloads: 3,
  }));
  assert.equal(engine.state.phase, 'success', engine.state.error);
  assert.deepEqual(
    server.announced.flatMap(({ files }) => files.map(({ fileSize }) => fileSize)),
    [encryptedSize(LARGE), encryptedSize(0)],
  );
  for (const { fileName, relativePath, mimeType } of server.announced.flatMap(({ files }) => files)) {
    assert.match(fileName, FILE_ID_PATTERN);
    assert.deepEqual([relativePath, mimeType], [fileName, 'application/octet-stream']);
  }
  assert.doesNotMatch(JSON.stringify([server.announced, server.completions]), /canary|sesame/);
  const { manifest, files } = await openAll(server, 'sesame');
  assert.deepEqual([manifest.title, manifest.message], ['canary-title', 'canary-message']);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['tour/canary-one.txt', 'canary-empty.txt'],
  );
  for (const [index, { bytes, crc32 }] of files.entries()) {
    assert.deepEqual(bytes, await readAll(picked[index]!));
    assert.equal(crc32, zlibCrc32(bytes));
  }
  const kept = await findKey('t1');
  assert.deepEqual([kept?.isDraft, kept?.title, kept?.owner], [false, 'canary-title', OWNER]);
  assert.deepEqual(await listDraftFiles('t1'), []);
});

test('the link is known before the first chunk is sent', async () => {
  const gate = Promise.withResolvers<boolean>();
  const server = new CapturingServer();
  const send = server.transport.send;
  server.transport.send = async (...args) => {
    await gate.promise;
    return send(...args);
  };
  const engine = startEngine(server);
  engine.add([createItem({ file: makeFile('a.txt', 5), relativePath: 'a.txt' })]);
  const done = engine.submit(async () => ({}));
  await vi.waitFor(() => assert.equal(engine.state.link?.needsPassword, false));
  assert.equal((await findKey('t1'))?.key, engine.state.link?.key);
  assert.equal((await listDraftFiles('t1')).length, 1);
  gate.resolve(true);
  await done;
});

test('recipients of a shared link get a list at once, and one with checksums before the last file is complete', async () => {
  const gate = Promise.withResolvers<void>();
  const server = new CapturingServer();
  const send = server.transport.send;
  server.transport.send = async (...args) => {
    if (args[0].file.name === 'b.txt') await gate.promise;
    return send(...args);
  };
  const engine = startEngine(server);
  const add = (name: string) => engine.add([createItem({ file: makeFile(name, 5), relativePath: name })]);
  add('a.txt');
  add('b.txt');
  const ended = engine.sendAhead();
  await vi.waitFor(() => assert.equal(engine.state.items[0]!.phase, 'sent'));
  await engine.share({ title: 'Canary', maxDownloads: 3 });
  assert.deepEqual(server.publications, [{ transferId: 't1', fileCount: 2, settings: { maxDownloads: 3 } }]);
  const early = await openManifestOf(server);
  assert.equal(early.title, 'Canary');
  assert.deepEqual(
    early.files.map(({ path, crc32 }) => [path, crc32 === null]),
    [
      ['a.txt', false],
      ['b.txt', true],
    ],
  );
  await vi.waitFor(() => assert.equal(server.completions.length, 1));

  add('c.txt');
  gate.resolve();
  await ended;
  assert.equal(engine.state.phase, 'success', engine.state.error);
  assert.deepEqual([server.manifests.length, engine.state.link?.url.includes('token')], [3, true]);
  const last = await openManifestOf(server);
  assert.equal(last.title, 'Canary');
  assert.deepEqual(
    last.files.map(({ path, crc32 }) => [path, crc32 === null]),
    [
      ['a.txt', false],
      ['b.txt', false],
      ['c.txt', false],
    ],
  );
  assert.doesNotMatch(JSON.stringify([server.publications, server.completions]), /Canary/);
});

test('no nonce repeats over cuts, reloads and a changed file, and signing out removes the names', async () => {
  const server = new CapturingServer({ isCut: (sent) => sent % 3 === 1 });
  const names = ['a.txt', 'b.txt'];
  const first = startEngine(server);
  first.add(names.map((name) => createItem({ file: makeFile(name, LARGE), relativePath: name })));
  const wake = first.subscribe(() => setImmediate(() => first.wake()));
  void first.sendAhead();
  await vi.waitFor(() => assert.ok([...server.uploads.values()].some(({ chunks }) => chunks.size > 0)));
  wake();
  first.reset();

  await reduceKeys();
  await reduceDraftFiles();
  assert.doesNotMatch(JSON.stringify(await listDraftFiles('t1')), /\.txt"/);

  const unfinished = await readEncryptedUploads(await server.transport.listUnfinished());
  const second = startEngine(server);
  second.add(
    names.map((name, index) =>
      createItem({ file: makeFile(name, LARGE, { version: index }), relativePath: name }),
    ),
  );
  const before = [...server.uploads.keys()];
  const missing = second.adopt(unfinished, { isUnchanged: ({ name }) => name !== 'b.txt' });
  assert.deepEqual(missing, []);
  second.subscribe(() => setImmediate(() => second.wake()));
  await second.submit(async () => ({}));
  assert.equal(second.state.phase, 'success', second.state.error);
  assert.equal(new Set(server.nonces).size, server.nonces.length);
  // The changed file became another upload.
  assert.equal(before.filter((uploadId) => server.uploads.has(uploadId)).length, 1);
  const { files } = await openAll(server);
  assert.deepEqual(
    files.map(({ path }) => path),
    names,
  );
  assert.deepEqual(files[1]!.bytes, await readAll(makeFile('b.txt', LARGE, { version: 1 })));
});

test('a draft with a password resumes without it, but not after signing out', async () => {
  const server = new CapturingServer();
  const begin = startEngine(server, 'sesame');
  begin.add([createItem({ file: makeFile('a.txt', 5), relativePath: 'a.txt' })]);
  await begin.sendAhead();
  const resume = async (password?: string) => {
    const engine = startEngine(server, password);
    engine.adopt(await readEncryptedUploads(await server.transport.listUnfinished()));
    await engine.sendAhead();
    return engine.state;
  };
  assert.equal((await resume()).link?.needsPassword, true);
  await reduceKeys();
  assert.match((await resume()).error!, /has a password/);
  assert.match((await resume('wrong')).error!, /not the password/);
  assert.equal((await resume('sesame')).phase, 'arrived');
});
