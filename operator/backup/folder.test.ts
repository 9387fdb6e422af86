import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makeFolder } from '../../testing/processes/process-checks.ts';
import { BlobListWriter, readBlobList } from './folder.ts';
import { removeUnnamed } from './retention.ts';

const BLOBS = 20_000;

test('a list of many blobs is written without piling up listeners', async (t) => {
  const path = join(await makeFolder(t), 'files-1.ndjson');
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const list = new BlobListWriter(path);
  for (let index = 0; index < BLOBS; index += 1)
    await list.add({ storageKey: `key${index}`, name: `ke/key${index}`, sizeBytes: 1, crc32: index });
  await list.end();
  await setImmediate();
  assert.deepEqual(warnings, []);
  let read = 0;
  for await (const { crc32 } of readBlobList(path)) assert.equal(crc32, read++);
  assert.equal(read, BLOBS);
});

test('files that other programs put between the folders of copies are left alone', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'blobs', 'ab'), { recursive: true });
  await writeFile(join(folder, 'blobs', '.DS_Store'), '');
  await writeFile(join(folder, 'blobs', 'ab', 'abc.1-1'), '');
  assert.equal(await removeUnnamed(folder), 1);
});
