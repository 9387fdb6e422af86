import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { onTestFinished, test } from 'vitest';
import { SEGMENT_PLAIN_BYTES } from '../../../../contracts/transfers/encryption.ts';
import { createEncryption } from '../../../../encryption/keys.ts';
import { createFileId, sealSegments } from '../../../../encryption/segments.ts';
import type { RecipientFile } from '../../loading/recipient-files.ts';
import { SaveError } from '../failures.ts';
import { planSave } from '../save-plan.ts';
import { findResumePoint, type Output, produce, type ResumePoint } from './output.ts';
import { zipOutput } from './plain-zip.ts';

const { keys } = await createEncryption();
const CONTENTS = {
  'a/notes.txt': Buffer.from('hello'),
  'a/empty': Buffer.alloc(0),
  'film.bin': Buffer.alloc(2 * SEGMENT_PLAIN_BYTES + 7, 'film'),
  'one segment': Buffer.alloc(SEGMENT_PLAIN_BYTES, 'x'),
};
const SHARE = { token: 'a'.repeat(26), recipientToken: undefined };

function describe(path: string, bytes: Buffer, position: number): RecipientFile {
  return {
    id: `file-${position}`,
    position,
    fileId: createFileId(),
    path,
    size: bytes.length,
    modifiedAt: Date.UTC(2026, 2, 14),
    mimeType: '',
    crc32: crc32(bytes),
    isDamaged: false,
    isChecking: false,
    downloadCount: 0,
  };
}

/** The server's zip of the ciphertexts, as far as it is read. */
async function sealAll() {
  const files = Object.entries(CONTENTS).map(([path, bytes], position) => describe(path, bytes, position));
  const plan = planSave(SHARE, files, { isAll: true });
  assert.ok(plan !== 'too-many');
  const download = new Uint8Array(plan.downloadBytes);
  for (const [index, { fileId, size, sealedStart }] of plan.files.entries()) {
    const plain = new Uint8Array(Object.values(CONTENTS)[index]!);
    download.set(
      await sealSegments(keys.content, { fileId, plainBytes: size, firstSegment: 0 }, plain),
      sealedStart,
    );
  }
  const reader = {
    read: async (start: number, length: number) => download.slice(start, start + length),
    release: () => {},
  };
  return { output: zipOutput(plan.files), download, reader, plan };
}

async function collect(
  output: Output,
  reader: Awaited<ReturnType<typeof sealAll>>['reader'],
  from?: ResumePoint,
) {
  const pieces: Uint8Array[] = [];
  for await (const piece of produce(output, { key: keys.content, reader }, from)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('the zip of the plaintext has the announced length, and unzip finds every file', async () => {
  const { output, reader } = await sealAll();
  const zip = await collect(output, reader);
  assert.equal(zip.length, output.sizeBytes);
  const folder = mkdtempSync(join(tmpdir(), 'sendwell-zip-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'all.zip'), zip);
  execFileSync('unzip', ['-q', 'all.zip', '-d', 'out'], { cwd: folder });
  for (const [path, bytes] of Object.entries(CONTENTS))
    assert.deepEqual(readFileSync(join(folder, 'out', path)), bytes, path);
});

test('from any length that was saved, the output continues to the same bytes', async () => {
  const { output, reader } = await sealAll();
  const zip = await collect(output, reader);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: output.sizeBytes }), async (saved) => {
      const point = findResumePoint(output, saved);
      assert.ok(point.offset <= saved && saved - point.offset < Math.max(SEGMENT_PLAIN_BYTES, 4096));
      assert.ok(zip.subarray(point.offset).equals(await collect(output, reader, point)));
    }),
    { numRuns: 25 },
  );
});

test('nothing of a damaged segment, nor anything after it, is produced', async () => {
  const { output, download, reader, plan } = await sealAll();
  const film = plan.files.find(({ path }) => path === 'film.bin')!;
  download[film.sealedStart + 5]! ^= 1;
  let produced = 0;
  await assert.rejects(
    async () => {
      for await (const piece of produce(output, { key: keys.content, reader })) produced += piece.length;
    },
    (error) =>
      error instanceof SaveError && error.failure.kind === 'damaged' && error.failure.file === 'film.bin',
  );
  assert.equal(produced, output.dataStarts[2]);
});

test('names are safe for every system, and unique', () => {
  const files = ['../../x', 'CON.txt', 'a<b>?.txt', 'A_B__.txt', 'end. ', 'x'].map((path, position) =>
    describe(path, Buffer.from('1'), position),
  );
  const plan = planSave(SHARE, files, { isAll: false });
  assert.ok(plan !== 'too-many');
  assert.deepEqual(
    plan.files.map(({ path }) => path),
    ['x', 'CON_.txt', 'a_b__.txt', 'A_B__ (2).txt', 'end__', 'x (2)'],
  );
});
