import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { visibleCharacter } from '../../testing/lib/any-text.ts';
import { directoryBytes, type FileFacts, layOutFiles, listDataParts, localHeaderBytes } from './file-zip.ts';
import { dataStart } from './layout.ts';

const MODIFIED_AT = Date.UTC(2026, 10, 21, 13, 37, 42);

type File = { path: string; data: Buffer };

const describe = ({ path, data }: File): FileFacts => ({
  path,
  sizeBytes: data.length,
  crc32: crc32(data),
  modifiedAt: MODIFIED_AT,
});

/** As a page or command writes it. */
function writeZip(files: File[]): Buffer {
  const layout = layOutFiles(files.map(describe));
  const pieces = files.flatMap(({ data }, index) => [localHeaderBytes(layout, index), data]);
  const zip = Buffer.concat([...pieces, directoryBytes(layout)]);
  assert.equal(zip.length, layout.sizeBytes);
  return zip;
}

const LIST = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[e.filename, archive.read(e).hex(), list(e.date_time)] for e in archive.infolist()]))
`;

test('Python and unzip read the zip that a client writes', (t) => {
  const files: File[] = [
    { path: 'été/a.txt', data: Buffer.from('hello') },
    { path: 'été/a.txt', data: Buffer.alloc(0) },
    { path: '../evil', data: Buffer.alloc(100_000, 7) },
  ];
  const path = join(temporaryFolder(t), 'files.zip');
  writeFileSync(path, writeZip(files));
  const listed = JSON.parse(execFileSync('python3', ['-c', LIST, path], { encoding: 'utf8' }));
  const names = ['été/a.txt', 'été/a (2).txt', 'evil'];
  const time = [2026, 11, 21, 13, 37, 42];
  assert.deepEqual(
    listed,
    files.map(({ data }, index) => [names[index], data.toString('hex'), time]),
  );
  execFileSync('unzip', ['-tqq', path]);
});

test('checksums and times do not move anything', () => {
  const files = [1, 0, 5 * 2 ** 30, 7].map((sizeBytes, index) => ({ path: `f${index}`, sizeBytes }));
  const layOut = (crc: number, modifiedAt: number) =>
    layOutFiles(files.map((file) => ({ ...file, crc32: crc, modifiedAt })));
  const [first, second] = [layOut(0, 0), layOut(0xffffffff, MODIFIED_AT)];
  assert.deepEqual(first.headerStarts, second.headerStarts);
  assert.deepEqual(first.recordStarts, second.recordStarts);
  assert.equal(first.sizeBytes, second.sizeBytes);
});

test('the parts found in slices of a zip are the files', () => {
  const file = fc.record({
    path: fc.string({ unit: visibleCharacter, maxLength: 20 }),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 8 }), fc.integer({ min: 1, max: 200 }), (files, sliceBytes) => {
      const zip = writeZip(files);
      const layout = layOutFiles(files.map(describe));
      const found = files.map(() => Buffer.alloc(0));
      for (let start = 0; start < zip.length; start += sliceBytes) {
        const slice = zip.subarray(start, start + sliceBytes);
        for (const part of listDataParts(layout, { start, end: start + slice.length })) {
          assert.equal(part.position, dataStart(layout, part.index) + part.start);
          assert.equal(part.start, found[part.index]!.length);
          const bytes = slice.subarray(part.position - start, part.position - start + part.end - part.start);
          found[part.index] = Buffer.concat([found[part.index]!, bytes]);
        }
      }
      assert.deepEqual(
        found,
        files.map(({ data }) => data),
      );
    }),
  );
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-zip-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
