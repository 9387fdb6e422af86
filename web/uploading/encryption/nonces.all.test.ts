import assert from 'node:assert/strict';
import { test, vi } from 'vitest';
import { GIB } from '../../../contracts/values/sizes.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import { CapturingServer, makeFile } from '../../testing/sealed-uploads.ts';
import { UploadEngine } from '../engine/upload-engine.ts';
import { createItem } from '../engine/upload-item.ts';
import { readEncryptedUploads } from './encrypted-uploads.ts';
import { openSealing } from './open-sealing.ts';

const FILES = 4;
const CUTS = 20;
const RELOADS = 5;
const CHANGED = 3;
const CHUNKS = Math.ceil((2 * GIB) / (5 * 1_048_536));

test('no nonce repeats over 2 GiB with 20 cuts, 5 reloads and 3 changed files', {
  timeout: 600_000,
}, async () => {
  keepDatabasesInMemory();
  let cuts = 0;
  const isCut = (sent: number) => sent % Math.floor(CHUNKS / CUTS) === 0 && ++cuts > 0;
  const server = new CapturingServer({ keepsChunks: false, isCut });
  vi.stubGlobal('fetch', server.fetch);
  for (let visit = 0; visit <= RELOADS; visit += 1) {
    const changed = Math.min(visit, CHANGED);
    const engine = new UploadEngine(server.transport);
    engine.encryptWith((transferId) =>
      openSealing({ owner: 'vera', password: undefined, transferId, isReady: false, unfinished: undefined }),
    );
    engine.subscribe(() => setImmediate(() => engine.wake()));
    const files = Array.from({ length: FILES }, (_, index) =>
      makeFile(`${index}.bin`, (2 * GIB) / FILES, { version: index < changed ? index + 1 : 0 }),
    );
    engine.add(files.map((file) => createItem({ file, relativePath: file.name })));
    const unfinished = visit > 0 ? await readEncryptedUploads(await server.transport.listUnfinished()) : [];
    // The file that changed since the last visit.
    if (visit > 0)
      engine.adopt(unfinished, { isUnchanged: ({ name }) => visit > CHANGED || name !== `${visit - 1}.bin` });
    if (visit === RELOADS) {
      await engine.submit(async () => ({}));
      assert.equal(engine.state.phase, 'success', engine.state.error);
    } else {
      const until = server.sentChunks + CHUNKS / (RELOADS + 3);
      void engine.sendAhead();
      await vi.waitFor(() => assert.ok(server.sentChunks >= until), { timeout: 300_000, interval: 5 });
      engine.reset();
    }
  }
  assert.ok(cuts >= CUTS, `${cuts} cuts`);
  assert.ok(server.nonces.length >= 2_048, `${server.nonces.length} segments`);
  assert.equal(new Set(server.nonces).size, server.nonces.length);
});
