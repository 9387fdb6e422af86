import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { localHeaderLength, writeEnd, writeLocalHeader } from '../../contracts/zip/records.ts';
import { ByteReader, EndedEarlyError } from './download.ts';
import { readZippedFile, ZipError } from './zip-reader.ts';

type Entry = { path: string; bytes: Buffer };

const entry = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.uint8Array({ maxLength: 300 }))
  .map(([path, bytes]) => ({ path, bytes: Buffer.from(bytes) }));

test("the server's zips are read file by file, regardless of how the bytes arrive", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      async (entries, step) => {
        assert.deepEqual(await readAll(cut(zip(entries), step)), entries);
      },
    ),
  );
});

test('the length of a file above 4 GiB is read from the zip64 field', async () => {
  const sizeBytes = 5 * 2 ** 30;
  const large = { name: Buffer.from('large'), sizeBytes, crc32: 7, modifiedAt: 0, isTimeKnown: true };
  const header = Buffer.alloc(localHeaderLength({ name: 5, data: sizeBytes, hasTimestamp: true }));
  writeLocalHeader(header, 0, large);
  const file = await readZippedFile(new ByteReader(cut(header, 10), 1_000));
  assert.deepEqual(file, { name: 'large', size: sizeBytes, crc32: 7, dataStart: 1_000 + header.length });
});

test('foreign and truncated zips are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
      const reader = new ByteReader(cut(Buffer.from(bytes), 7));
      await readZippedFile(reader).then(
        (file) => assert.ok(file === undefined || bytes[0] === 0x50),
        (error) => assert.ok(error instanceof ZipError || error instanceof EndedEarlyError, String(error)),
      );
    }),
  );
  const whole = zip([{ path: 'a', bytes: Buffer.from('hello') }]);
  await assert.rejects(readAll(cut(whole.subarray(0, 33), 5)), EndedEarlyError);
  const deflated = Buffer.from(whole);
  deflated.writeUInt16LE(8, 8);
  await assert.rejects(readAll(cut(deflated, 5)), ZipError);
});

function zip(entries: Entry[]): Buffer {
  const pieces = entries.flatMap(({ path, bytes }) => {
    const name = Buffer.from(path);
    const described = { name, sizeBytes: bytes.length, crc32: crc32(bytes), modifiedAt: 0 };
    const header = Buffer.alloc(
      localHeaderLength({ name: name.length, data: bytes.length, hasTimestamp: false }),
    );
    writeLocalHeader(header, 0, described);
    return [header, bytes];
  });
  const end = Buffer.alloc(22);
  writeEnd(end, 0, { count: entries.length, start: 0, sizeBytes: 0 });
  return Buffer.concat([...pieces, end]);
}

async function* cut(bytes: Buffer, step: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

async function readAll(pieces: AsyncIterable<Buffer>): Promise<Entry[]> {
  const reader = new ByteReader(pieces);
  const entries: Entry[] = [];
  for (let file = await readZippedFile(reader); file; file = await readZippedFile(reader)) {
    const bytes = await reader.read(file.size);
    assert.equal(crc32(bytes), file.crc32);
    entries.push({ path: file.name, bytes });
  }
  return entries;
}
