import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WriteQueue } from './write-queue.ts';

test('writes overlapping bytes in the order they were queued', async (t) => {
  const { path, queue } = await openQueue(t);
  await Promise.all(['aaaa', 'bbb', 'cc', 'd'].map((text) => queue.write([Buffer.from(text)], 0)));
  assert.equal(readFileSync(path, 'utf8'), 'dcba');
});

test('joins adjacent writes, however many and in whatever pieces', async (t) => {
  const { path, queue } = await openQueue(t);
  const texts = Array.from({ length: 5000 }, (_, index) => `${index};`);
  let position = 0;
  const writes = texts.map((text) => {
    const write = queue.write(
      [...text].map((letter) => Buffer.from(letter)),
      position,
    );
    position += text.length;
    return write;
  });
  await Promise.all(writes);
  assert.equal(readFileSync(path, 'utf8'), texts.join(''));
});

test('accepts more pieces in one write than the system allows', async (t) => {
  const { path, queue } = await openQueue(t);
  const pieces = Array.from({ length: 3000 }, (_, index) => Buffer.from(String(index % 10)));
  await queue.write(pieces, 5);
  assert.equal(readFileSync(path).subarray(5).toString(), Buffer.concat(pieces).toString());
});

test('a write that is refused when its turn comes harms no neighbor', async (t) => {
  const { path, queue } = await openQueue(t);
  const refuse = () => {
    throw new Error('too late');
  };
  const writes = ['aa', 'bb', 'cc', 'dd'].map((text, index) =>
    queue.write([Buffer.from(text)], 2 * index, index === 0 || index === 2 ? refuse : undefined),
  );
  const results = await Promise.allSettled(writes);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(readFileSync(path, 'latin1'), '\0\0bb\0\0dd');
});

test('continues after a failed write', async () => {
  const fd = openSync('/dev/full', 'r+');
  const queue = new WriteQueue(fd);
  const writes = [0, 100].map((position) => queue.write([Buffer.alloc(10)], position));
  for (const write of writes) await assert.rejects(write, { code: 'ENOSPC' });
  await assert.rejects(queue.write([Buffer.alloc(10)], 0), { code: 'ENOSPC' });
  closeSync(fd);
});

async function openQueue(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-queue-'));
  const path = join(folder, 'file');
  const fd = openSync(path, 'w+');
  t.after(async () => {
    closeSync(fd);
    await rm(folder, { recursive: true });
  });
  return { path, queue: new WriteQueue(fd) };
}
