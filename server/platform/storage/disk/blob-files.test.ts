import assert from 'node:assert/strict';
import { mkdtempDisposable, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { isThere } from './blob-files.ts';

test('a path that cannot be looked at does not count as missing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sendwell-'));
  const loop = join(folder.path, 'loop');
  await symlink('loop', loop);
  assert.equal(await isThere(folder.path), true);
  assert.equal(await isThere(join(folder.path, 'missing')), false);
  await assert.rejects(isThere(join(loop, 'file')), { code: 'ELOOP' });
});
