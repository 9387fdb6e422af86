import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { directoryBytes, type FileFacts, layOutFiles, localHeaderBytes } from './file-zip.ts';
import { dataStart } from './layout.ts';

const SECOND = 1000;

/** The last Sunday in October, 02:30 in Berlin, exists twice. */
const TIMES = {
  epoch: 0,
  'odd second': Date.UTC(2026, 10, 21, 13, 37, 43, 999),
  'before 1980': Date.UTC(1975, 1, 3, 4, 5, 7),
  summer: Date.UTC(2026, 6, 1, 0, 30, 1),
  'first 02.30': Date.UTC(2026, 9, 25, 0, 30, 3),
  'second 02.30': Date.UTC(2026, 9, 25, 1, 30, 5),
  'after 2038': Date.UTC(2040, 5, 1, 1, 2, 3),
  last: 2 ** 32 * SECOND - 1,
};
const BEFORE_1970 = Date.UTC(1950, 5, 1, 1, 2, 3);
const AFTER_2107 = Date.UTC(2150, 5, 1, 1, 2, 3);

function describe(path: string, facts: Partial<FileFacts>): FileFacts {
  return { path, sizeBytes: path.length, crc32: crc32(path), modifiedAt: 0, ...facts };
}

/** The content of each file is its path. */
function writeZip(t: TestContext, files: FileFacts[]): { folder: string; zip: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-times-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const layout = layOutFiles(files);
  const bytes = Buffer.alloc(layout.sizeBytes);
  for (const [index, { path }] of files.entries()) {
    bytes.set(localHeaderBytes(layout, index), layout.headerStarts[index]);
    bytes.write(path, dataStart(layout, index));
  }
  const directory = directoryBytes(layout);
  bytes.set(directory, bytes.length - directory.length);
  const zip = join(folder, 'all.zip');
  writeFileSync(zip, bytes);
  return { folder, zip };
}

const secondsOf = (path: string) => Math.floor(statSync(path).mtimeMs / SECOND);

/** Restores times by the extended timestamps, which are the same in both headers, as Info-ZIP documents them. */
const RESTORE = `
import os, struct, sys, zipfile

def timestamp(extra):
    while len(extra) >= 4:
        kind, size = struct.unpack('<HH', extra[:4])
        if kind == 0x5455:
            assert size == 5 and extra[4] == 1
            return struct.unpack('<i', extra[5:9])[0]
        extra = extra[4 + size:]

with zipfile.ZipFile(sys.argv[1]) as archive:
    for info in archive.infolist():
        path = archive.extract(info, sys.argv[2])
        archive.fp.seek(info.header_offset + 26)
        name, extra = struct.unpack('<HH', archive.fp.read(4))
        archive.fp.seek(name, 1)
        seconds = timestamp(archive.fp.read(extra))
        assert seconds == timestamp(info.extra)
        if seconds is None: continue
        if info.date_time[0] >= 2038: seconds %= 2**32
        os.utime(path, (seconds, seconds))
`;

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Chatham'];

for (const zone of zones)
  test(`unzip and Python restore modification times to the second in ${zone}`, (t) => {
    const files = Object.entries(TIMES).map(([path, modifiedAt]) =>
      describe(path, { modifiedAt, isTimeKnown: true }),
    );
    const { folder, zip } = writeZip(t, files);
    const env = { ...process.env, TZ: zone };
    execFileSync('unzip', ['-q', zip, '-d', join(folder, 'unzipped')], { env });
    execFileSync('python3', ['-c', RESTORE, zip, join(folder, 'by-python')], { env });
    for (const [path, time] of Object.entries(TIMES))
      for (const program of ['unzipped', 'by-python'])
        assert.equal(secondsOf(join(folder, program, path)), Math.floor(time / SECOND), `${program} ${path}`);
  });

test('times before 1970 are restored by programs that read signed timestamps, later than 2106 only as a date', (t) => {
  const files = [
    describe('old', { modifiedAt: BEFORE_1970, isTimeKnown: true }),
    describe('future', { modifiedAt: AFTER_2107, isTimeKnown: true }),
    describe('older', { modifiedAt: Date.UTC(1800, 0, 1), isTimeKnown: true }),
  ];
  const { folder, zip } = writeZip(t, files);
  const env = { ...process.env, TZ: 'UTC' };
  execFileSync('python3', ['-c', RESTORE, zip, folder], { env });
  assert.equal(secondsOf(join(folder, 'old')), BEFORE_1970 / SECOND);
  const dates = `import sys, zipfile; print([i.date_time[:3] for i in zipfile.ZipFile(sys.argv[1]).infolist()])`;
  const printed = execFileSync('python3', ['-c', dates, zip], { encoding: 'utf8' });
  assert.equal(printed.trim(), '[(1980, 1, 1), (2107, 12, 31), (1980, 1, 1)]');
  execFileSync('unzip', ['-q', '-o', zip, '-d', folder], { env });
});

test('executable files are executable again, and others are not', (t) => {
  const { folder, zip } = writeZip(t, [describe('run', { isExecutable: true }), describe('read', {})]);
  execFileSync('unzip', ['-q', zip, '-d', folder]);
  assert.equal(statSync(join(folder, 'run')).mode & 0o7777, 0o755);
  assert.equal(statSync(join(folder, 'read')).mode & 0o7777, 0o644);
});

test('entries of unknown time have no timestamp, so that their zip is that of earlier releases', () => {
  const known = layOutFiles([describe('a', { isTimeKnown: true })]);
  const unknown = layOutFiles([describe('a', { isTimeKnown: false })]);
  assert.equal(known.sizeBytes - unknown.sizeBytes, 2 * 9);
  assert.equal(localHeaderBytes(unknown, 0).length, 30 + 1);
});
