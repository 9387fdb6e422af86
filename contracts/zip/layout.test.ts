import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZipEntryTable } from './entry-table.ts';
import { type FileFacts, layOutFiles } from './file-zip.ts';
import {
  copyDirectory,
  copyLocalHeader,
  dataStart,
  directoryStart,
  findEntry,
  layOutZip,
  type ZipLayout,
} from './layout.ts';

const GIB = 1024 ** 3;
const UINT32_MAX = 0xffffffff;
const MODIFIED_AT = Date.UTC(2026, 10, 21, 13, 37, 43);

function entry(path: string, sizeBytes: number): FileFacts {
  return { path, sizeBytes, crc32: 0xcafebabe, modifiedAt: MODIFIED_AT };
}

function readHeader(layout: ZipLayout, index: number): Buffer {
  const header = Buffer.alloc(dataStart(layout, index) - layout.headerStarts[index]!);
  assert.equal(copyLocalHeader(layout, index, 0, header), header.length);
  return header;
}

function readDirectory(layout: ZipLayout): Buffer {
  const directory = Buffer.alloc(layout.sizeBytes - directoryStart(layout));
  copyDirectory(layout, directoryStart(layout), directory);
  return directory;
}

test('an empty archive is its 22-byte end record', () => {
  const layout = layOutFiles([]);
  assert.equal(layout.sizeBytes, 22);
  assert.equal(readDirectory(layout).readUInt32LE(0), 0x06054b50);
});

test('a local header has size, CRC, UTF-8 flag and UTC time up front, and no zip64 extra when none is needed', () => {
  const header = readHeader(layOutFiles([entry('ä/b.txt', 12)]), 0);
  assert.equal(header.readUInt32LE(0), 0x04034b50);
  assert.equal(header.readUInt16LE(4), 20);
  assert.equal(header.readUInt16LE(6), 0x0800);
  assert.equal(header.readUInt16LE(8), 0, 'stored');
  assert.equal(header.readUInt16LE(10), (13 << 11) | (37 << 5) | (42 / 2));
  assert.equal(header.readUInt16LE(12), ((2026 - 1980) << 9) | (11 << 5) | 21);
  assert.equal(header.readUInt32LE(14), 0xcafebabe);
  assert.equal(header.readUInt32LE(18), 12);
  assert.equal(header.readUInt32LE(22), 12);
  assert.equal(header.readUInt16LE(26), 8);
  assert.equal(header.readUInt16LE(28), 0);
  assert.equal(header.toString('utf8', 30), 'ä/b.txt');
});

test('times outside the format’s range become its first and last', () => {
  const dates = [-1e15, 0, 1e15].map((modifiedAt) =>
    readHeader(layOutFiles([{ ...entry('a', 0), modifiedAt }]), 0).readUInt16LE(12),
  );
  assert.deepEqual(dates, [0x21, 0x21, (127 << 9) | (12 << 5) | 31]);
});

test('an entry has the zip64 extra from 4 GiB - 1, and only then', () => {
  const below = layOutFiles([entry('a', UINT32_MAX - 1)]);
  assert.equal(readHeader(below, 0).readUInt16LE(28), 0);
  assert.equal(readHeader(below, 0).readUInt32LE(18), UINT32_MAX - 1);
  const header = readHeader(layOutFiles([entry('a', UINT32_MAX)]), 0);
  assert.equal(header.readUInt16LE(4), 45);
  assert.equal(header.readUInt32LE(18), UINT32_MAX);
  assert.equal(header.readUInt32LE(22), UINT32_MAX);
  assert.equal(header.readUInt16LE(28), 20);
  assert.equal(header.readUInt16LE(31), 1);
  assert.equal(header.readUInt16LE(33), 16);
  assert.equal(header.readBigUInt64LE(35), BigInt(UINT32_MAX));
  assert.equal(header.readBigUInt64LE(43), BigInt(UINT32_MAX));
});

test('the directory names large sizes and far offsets in zip64 extras, and the end record points there', () => {
  const layout = layOutFiles([entry('a', 5 * GIB), entry('b', 7), entry('c', 6 * GIB)]);
  const directory = readDirectory(layout);
  const extraLengths = [28 - 8, 12, 28];
  let at = 0;
  for (const [index, extraLength] of extraLengths.entries()) {
    assert.equal(directory.readUInt32LE(at), 0x02014b50);
    assert.equal(directory.readUInt16LE(at + 4), (3 << 8) | 45, 'made by unix');
    assert.equal(directory.readUInt32LE(at + 38) >>> 16, 0o100644);
    assert.equal(directory.readUInt16LE(at + 30), extraLength);
    assert.equal(directory.readUInt32LE(at + 42), index === 0 ? 0 : UINT32_MAX);
    at += 46 + 1 + extraLength;
  }
  const lastOffset = directory.readBigUInt64LE(at - 8);
  assert.equal(lastOffset, BigInt(layout.headerStarts[2]!));
  assert.equal(directory.readBigUInt64LE(at - 16), BigInt(6 * GIB));
  assert.equal(directory.readUInt32LE(at), 0x06064b50);
  assert.equal(directory.readBigUInt64LE(at + 24), 3n);
  assert.equal(directory.readBigUInt64LE(at + 40), BigInt(at));
  assert.equal(directory.readBigUInt64LE(at + 48), BigInt(directoryStart(layout)));
  assert.equal(directory.readUInt32LE(at + 56), 0x07064b50);
  assert.equal(directory.readBigUInt64LE(at + 64), BigInt(directoryStart(layout) + at));
  assert.equal(directory.readUInt32LE(at + 76), 0x06054b50);
  assert.equal(directory.readUInt32LE(at + 92), UINT32_MAX);
  assert.equal(directory.length, at + 98);
});

test('65,534 entries have a plain end record, 65,535 a zip64 one', () => {
  const layOut = (count: number) =>
    layOutFiles(Array.from({ length: count }, (_, index) => entry(`${index}`, 1)));
  const endOf = (layout: ZipLayout) => layout.sizeBytes - layout.recordStarts.at(-1)!;
  assert.equal(endOf(layOut(65_534)), 22);
  assert.equal(endOf(layOut(65_535)), 98);
});

test('every position maps to the entry whose header or data contains it', () => {
  const layout = layOutFiles([entry('a', 3), entry('b', 0), entry('c', 5)]);
  for (let position = 0; position < directoryStart(layout); position += 1) {
    const index = findEntry(layout, position);
    assert.ok(layout.headerStarts[index]! <= position && position < layout.headerStarts[index + 1]!);
  }
  assert.equal(findEntry(layout, directoryStart(layout)), 3);
});

test('a name too long for the format is refused', () => {
  const table = new ZipEntryTable();
  table.add(entry('', 1));
  table.addName('x'.repeat(65_536));
  assert.throws(() => layOutZip(table), RangeError);
});
