import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { hasSortedLine } from './sorted-hash-file.ts';

test('exactly the lines of a sorted file are found', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-hashes-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'hashes.txt');
  const keys = Array.from({ length: 200 }, (_, index) => (index * 7 + 3).toString(16).padStart(40, '0'));
  const lines = keys.map((key, index) => `${key.toUpperCase()}:${10 ** (index % 9)}`);
  for (const [count, newline] of [
    [0, '\n'],
    [1, '\n'],
    [2, '\r\n'],
    [200, '\n'],
    [199, '\r\n'],
  ] as const) {
    for (const end of ['', newline]) {
      await writeFile(path, lines.slice(0, count).join(newline) + (count > 0 ? end : ''));
      for (let value = 0; value <= 1_400; value += 1) {
        const key = value.toString(16).padStart(40, '0').toUpperCase();
        const index = (value - 3) / 7;
        const isThere = Number.isInteger(index) && index >= 0 && index < count;
        if (value % 50 !== 0 && !isThere) continue;
        assert.equal(await hasSortedLine(path, key), isThere, `${key} of ${count}`);
      }
    }
  }
});
