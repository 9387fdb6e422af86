import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { writeZip } from './write-zip.ts';

test('the zip of decrypted files keeps their modification times and executable bits', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'write-zip-'));
  t.after(() => rm(folder, { recursive: true }));
  const modifiedAt = Date.UTC(2019, 4, 6, 7, 8, 9);
  const file = { place: 0, size: 4, sha256: null };
  const files = [
    { ...file, name: 'run.sh', modifiedAt, isExecutable: true as const },
    { ...file, name: 'from an older release', sealed: { fileId: 'f', crc32: null, modifiedAt } },
  ];
  for (const { name } of files) await writeFile(join(folder, name), 'test');
  await writeZip(folder, { name: 'all.zip', files }, new AbortController().signal);
  execFileSync('unzip', ['-q', join(folder, 'all.zip'), '-d', join(folder, 'out')]);
  const [script, other] = await Promise.all(files.map(({ name }) => stat(join(folder, 'out', name))));
  assert.deepEqual([script!.mtimeMs, other!.mtimeMs], [modifiedAt, modifiedAt]);
  assert.deepEqual([script!.mode & 0o100, other!.mode & 0o111], [0o100, 0]);
});
