import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { GIB, MIB } from '../../../contracts/values/sizes.ts';
import { layOutZip } from '../../../contracts/zip/layout.ts';
import { AppError } from '../lib/app-error.ts';
import { type BlobOpener, type BlobSlice, type ByteSource, verificationBudget } from '../lib/byte-source.ts';
import { makeTable } from './stored-entries.fixtures.ts';
import { zipSource } from './stream.ts';

const MODIFIED_AT = Date.UTC(2026, 10, 21, 13, 37, 42);

type Counts = { opened: number; closed: number; openAtMost: number };

function memoryBlobs(blobs: Map<string, Buffer>, counts: Counts = newCounts()): BlobOpener {
  return {
    async openRange(storageKey, start, end) {
      const blob = blobs.get(storageKey);
      if (!blob) throw new AppError('file_not_found');
      counts.opened += 1;
      counts.openAtMost = Math.max(counts.openAtMost, counts.opened - counts.closed);
      let at = start;
      return {
        async fill(views) {
          for (const view of views) {
            if (at + view.length > Math.min(end, blob.length)) throw new Error('the blob is shorter');
            at += blob.copy(view, 0, at, at + view.length);
          }
        },
        async close() {
          counts.closed += 1;
        },
      };
    },
  };
}

const newCounts = (): Counts => ({ opened: 0, closed: 0, openAtMost: 0 });

type File = { path: string; data: Buffer; packed: boolean };

/** Packed files are adjacent in one blob, after unrelated bytes. */
function storeFiles(files: File[]) {
  const blobs = new Map<string, Buffer>();
  const pack: Buffer[] = [Buffer.from('hole')];
  let packLength = 4;
  const places = files.map(({ data, packed }, index): BlobSlice => {
    if (packed) {
      pack.push(data);
      packLength += data.length;
      return { storageKey: 'pack', offset: packLength - data.length, sizeBytes: data.length };
    }
    blobs.set(`blob${index}`, data);
    return { storageKey: `blob${index}`, offset: 0, sizeBytes: data.length };
  });
  blobs.set('pack', Buffer.concat(pack));
  const entries = files.map(({ path, data }, index) => ({
    path,
    crc32: crc32(data),
    modifiedAt: MODIFIED_AT,
    ...places[index]!,
  }));
  return { blobs, layout: layOutZip(makeTable(entries)) };
}

async function readRange(
  source: ByteSource,
  [start, end]: [number, number],
  blockBytes = 1 << 20,
): Promise<Buffer> {
  const reader = await source.open(start, end);
  const whole = Buffer.alloc(end - start, 0xee);
  try {
    for (let at = 0; at < whole.length; at += blockBytes)
      await reader.fill(whole.subarray(at, at + blockBytes));
  } finally {
    await reader.close();
  }
  return whole;
}

const readAll = (source: ByteSource) => readRange(source, [0, source.sizeBytes]);

const anyFiles = fc
  .array(
    fc.record({
      data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      packed: fc.boolean(),
      folder: fc.constantFrom('', 'ordner/', 'ä/日本/'),
    }),
    { maxLength: 40 },
  )
  .map((files) =>
    files.map(({ data, packed, folder }, index): File => ({ path: `${folder}${index}.bin`, data, packed })),
  );

test('any range equals that part of the whole archive, for any block size', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyFiles,
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 7000 }),
      async (files, from, to, blockBytes) => {
        const { blobs, layout } = storeFiles(files);
        const counts = newCounts();
        const source = zipSource(memoryBlobs(blobs, counts), layout);
        const whole = await readAll(source);
        const [start, end] = [from % (whole.length + 1), to % (whole.length + 1)].sort((a, b) => a - b) as [
          number,
          number,
        ];
        assert.deepEqual(await readRange(source, [start, end], blockBytes), whole.subarray(start, end));
        assert.equal(counts.opened, counts.closed);
        assert.ok(counts.openAtMost <= 16);
      },
    ),
    { numRuns: 300 },
  );
});

test('the archive is a pure function of its files', async () => {
  const files = [
    { path: 'a', data: Buffer.from('one'), packed: true },
    { path: 'b', data: Buffer.from('two'), packed: false },
  ];
  const [first, second] = [
    storeFiles(files),
    storeFiles(files.map((file) => ({ ...file, packed: !file.packed }))),
  ];
  const read = (stored: typeof first) => readAll(zipSource(memoryBlobs(stored.blobs), stored.layout));
  assert.deepEqual(await read(first), await read(second));
});

test('adjacent files are opened once', async () => {
  const files = Array.from({ length: 200 }, (_, index) => ({
    path: `${index}`,
    data: Buffer.from(`data ${index}`),
    packed: true,
  }));
  const { blobs, layout } = storeFiles(files);
  const counts = newCounts();
  await readAll(zipSource(memoryBlobs(blobs, counts), layout));
  assert.deepEqual(counts, { opened: 1, closed: 1, openAtMost: 1 });
});

test('a missing or short blob rejects, and nothing stays open', async () => {
  const files = Array.from({ length: 9 }, (_, index) => ({
    path: `${index}`,
    data: Buffer.alloc(99, index),
    packed: false,
  }));
  for (const damage of ['missing', 'short']) {
    const { blobs, layout } = storeFiles(files);
    if (damage === 'missing') blobs.delete('blob6');
    else blobs.set('blob6', Buffer.alloc(98));
    const counts = newCounts();
    await assert.rejects(readAll(zipSource(memoryBlobs(blobs, counts), layout)));
    assert.equal(counts.opened, counts.closed, damage);
  }
});

test('a short entry with wrong bytes is found even when the checking budget is spent', async () => {
  const { blobs, layout } = storeFiles([
    { path: 'right', data: Buffer.alloc(99, 'right'), packed: false },
    { path: 'wrong', data: Buffer.alloc(99, 'before'), packed: false },
  ]);
  blobs.set('blob1', Buffer.alloc(99, 'after'));
  verificationBudget.claim(8 * MIB, 8 * MIB);
  const wrong: number[] = [];
  const source = zipSource(memoryBlobs(blobs), layout, async (index) => void wrong.push(index));
  await assert.rejects(readAll(source), { code: 'unavailable' });
  assert.deepEqual(wrong, [1]);
});

function hasProgram(t: TestContext, program: string): boolean {
  const found = spawnSync(program, ['--help']).error === undefined;
  if (!found) t.skip(`${program} is not installed here`);
  return found;
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-zip-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const LIST_WITH_PYTHON = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    infos = archive.infolist()
    print(json.dumps([len(infos), [[i.filename, i.file_size, list(i.date_time), i.external_attr >> 16] for i in infos[:3] + infos[-1:]]]))
`;

test('Python’s zipfile reads names, sizes, times and modes and accepts every CRC', async (t) => {
  if (!hasProgram(t, 'python3')) return;
  const { blobs, layout } = storeFiles([
    { path: 'ordner/größe 日本 😀.txt', data: Buffer.from('hello'), packed: true },
    { path: 'empty', data: Buffer.alloc(0), packed: true },
    { path: 'ordner/tief/big.bin', data: Buffer.alloc(3_000_000, 'abc'), packed: false },
  ]);
  const file = join(temporaryFolder(t), 'a.zip');
  writeFileSync(file, await readAll(zipSource(memoryBlobs(blobs), layout)));
  const listed = JSON.parse(execFileSync('python3', ['-c', LIST_WITH_PYTHON, file], { encoding: 'utf8' }));
  const time = [2026, 11, 21, 13, 37, 42];
  assert.deepEqual(listed[1].slice(0, 3), [
    ['ordner/größe 日本 😀.txt', 5, time, 0o100644],
    ['empty', 0, time, 0o100644],
    ['ordner/tief/big.bin', 3_000_000, time, 0o100644],
  ]);
});

test('unzip reports no errors', async (t) => {
  if (!hasProgram(t, 'unzip')) return;
  const files = Array.from({ length: 300 }, (_, index) => ({
    path: `ordner ${index % 7}/ä${index}.txt`,
    data: Buffer.alloc(index * 31, `${index}`),
    packed: index % 3 !== 0,
  }));
  const { blobs, layout } = storeFiles(files);
  const file = join(temporaryFolder(t), 'b.zip');
  writeFileSync(file, await readAll(zipSource(memoryBlobs(blobs), layout)));
  assert.match(execFileSync('unzip', ['-tq', file], { encoding: 'utf8' }), /No errors detected/);
});

test('Python opens an archive of 70,000 files', async (t) => {
  if (!hasProgram(t, 'python3')) return;
  const files = Array.from({ length: 70_000 }, (_, index) => ({
    path: `d${index % 100}/${index}`,
    data: Buffer.from(`${index}`),
    packed: true,
  }));
  const { blobs, layout } = storeFiles(files);
  const file = join(temporaryFolder(t), 'many.zip');
  writeFileSync(file, await readAll(zipSource(memoryBlobs(blobs), layout)));
  const [count] = JSON.parse(execFileSync('python3', ['-c', LIST_WITH_PYTHON, file], { encoding: 'utf8' }));
  assert.equal(count, 70_000);
});

/** Only the first and last bytes are given; the rest is a hole. */
const LIST_SPARSE = `
import json, sys, zipfile
path, tail, position = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, 'r+b') as file, open(tail, 'rb') as source:
    file.seek(position)
    file.write(source.read())
with zipfile.ZipFile(path) as archive:
    infos = archive.infolist()
    print(json.dumps([[i.filename, i.file_size, i.header_offset] for i in infos]))
    print(archive.read(infos[-1]).decode())
`;

test('Python finds the small file after a 5 GiB one', async (t) => {
  if (!hasProgram(t, 'python3')) return;
  const last = Buffer.from('the end');
  const zeros = { storageKey: 'zeros', offset: 0, sizeBytes: 5 * GIB };
  const end = { storageKey: 'last', offset: 0, sizeBytes: last.length };
  const layout = layOutZip(
    makeTable([
      { path: 'zeros', crc32: 0, modifiedAt: MODIFIED_AT, ...zeros },
      { path: 'last.txt', crc32: crc32(last), modifiedAt: MODIFIED_AT, ...end },
    ]),
  );
  const source = zipSource(memoryBlobs(new Map([['last', last]])), layout);
  const folder = temporaryFolder(t);
  const secondHeader = layout.headerStarts[1]!;
  const headEnd = secondHeader - 5 * GIB;
  writeFileSync(join(folder, 'sparse.zip'), await readRange(source, [0, headEnd]));
  writeFileSync(join(folder, 'tail'), await readRange(source, [secondHeader, source.sizeBytes]));
  const arguments_ = [
    '-c',
    LIST_SPARSE,
    join(folder, 'sparse.zip'),
    join(folder, 'tail'),
    String(secondHeader),
  ];
  const [listed, text] = execFileSync('python3', arguments_, { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(JSON.parse(listed!), [
    ['zeros', 5 * GIB, 0],
    ['last.txt', last.length, secondHeader],
  ]);
  assert.equal(text, 'the end');
});
