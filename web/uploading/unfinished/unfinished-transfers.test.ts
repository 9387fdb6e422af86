import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { UnfinishedUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import { MIB } from '../../../contracts/values/sizes.ts';
import type { PickedFile } from '../files/picked-files.ts';
import type { ResumeRecord } from './resume-records.ts';
import { findContinuation, groupUnfinished, selectForContinuation } from './unfinished-transfers.ts';

function upload(
  transferId: string,
  relativePath: string,
  part: Partial<UnfinishedUpload> = {},
): UnfinishedUpload {
  return {
    uploadId: `${transferId}/${relativePath}`,
    transferId,
    addsTo: null,
    encryption: null,
    fileName: relativePath.split('/').at(-1)!,
    relativePath,
    mimeType: 'x/y',
    fileSize: 12 * MIB,
    chunkSize: 5 * MIB,
    totalChunks: 3,
    receivedChunks: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    ...part,
  };
}

const HOLIDAY = {
  title: 'Holiday',
  firstFileName: null,
  fileCount: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
};

function picked(relativePath: string, size = 12 * MIB): PickedFile {
  return { file: { name: relativePath.split('/').at(-1), size } as File, relativePath };
}

function record(transferId: string, part: Partial<ResumeRecord> = {}): ResumeRecord {
  return {
    transferId,
    fileCount: 2,
    completedFiles: 0,
    settings: {},
    hadPassword: false,
    roots: [],
    modified: {},
    savedAt: 0,
    ...part,
  };
}

function group(uploads: UnfinishedUpload[], records: ResumeRecord[] = [], sentElsewhere: string[] = []) {
  return groupUnfinished(uploads, {
    records: new Map(records.map((each) => [each.transferId, each])),
    sentElsewhere: new Set(sentElsewhere),
  });
}

test('groups uploads by transfer, most recent first, with the exact size of the last chunk', () => {
  const late = '2026-01-02T00:00:00.000Z';
  const groups = group([
    upload('a', 'one.bin', { receivedChunks: [0, 2] }),
    upload('b', 'two.bin', { lastActivityAt: late }),
    upload('a', 'three.bin'),
  ]);
  assert.deepEqual(
    groups.map(({ transferId, totalBytes, receivedBytes }) => ({ transferId, totalBytes, receivedBytes })),
    [
      { transferId: 'b', totalBytes: 12 * MIB, receivedBytes: 0 },
      { transferId: 'a', totalBytes: 24 * MIB, receivedBytes: 7 * MIB },
    ],
  );
});

test('a transfer is named by its title or its files', () => {
  const titled = group([upload('a', 'x.bin')], [record('a', { settings: { title: 'Film' } })]);
  assert.equal(titled[0]!.title, 'Film');
  assert.equal(group([upload('a', 'trip/x.bin'), upload('a', 'trip/raw/y.bin')])[0]!.title, 'x.bin + 1');
  assert.equal(group([upload('a', 'x.bin')])[0]!.title, 'x.bin');
});

test('finds the transfer that most of the files belong to, by path and size', () => {
  const transfers = group([upload('a', 'x.bin'), upload('b', 'x.bin'), upload('b', 'y.bin')]);
  assert.equal(findContinuation([picked('x.bin'), picked('y.bin')], transfers)?.transferId, 'b');
  assert.equal(findContinuation([picked('x.bin', 1)], transfers), undefined);
});

test('recognizes a file by its name as the server normalized it', () => {
  const transfers = group([upload('a', 'caf\u00e9.bin')]);
  assert.equal(findContinuation([picked('cafe\u0301.bin')], transfers)?.transferId, 'a');
});

test('does not continue a transfer that another window is sending', () => {
  assert.equal(findContinuation([picked('x.bin')], group([upload('a', 'x.bin')], [], ['a'])), undefined);
});

test('selecting a folder again does not add completed or removed files', () => {
  const [transfer] = group([upload('a', 'x.bin')], [record('a', { fileCount: 2, completedFiles: 1 })]);
  const files = [picked('x.bin'), picked('done.bin')];
  assert.deepEqual(selectForContinuation(files, transfer!, { mayAdd: true }), [files[0]]);
});

test('files that were not announced yet are added to the transfer', () => {
  const [transfer] = group([upload('a', 'x.bin')], [record('a')]);
  const files = [picked('x.bin'), picked('late.bin')];
  assert.deepEqual(selectForContinuation(files, transfer!, { mayAdd: false }), files);
});

test('dropping more files than the transfer had adds them', () => {
  const [transfer] = group([upload('a', 'x.bin')]);
  const files = [picked('x.bin'), picked('new.bin')];
  assert.deepEqual(selectForContinuation(files, transfer!, { mayAdd: true }), files);
  assert.deepEqual(selectForContinuation(files, transfer!, { mayAdd: false }), [files[0]]);
});

test('files being added to a ready transfer name it, and are named after themselves', () => {
  const [transfer] = group([upload('t', 'film.bin', { addsTo: HOLIDAY })]);
  assert.deepEqual([transfer?.addsTo, transfer?.title], [HOLIDAY, 'film.bin']);
});

test('a transfer has arrived when every file was announced and every chunk has arrived', () => {
  const whole = { receivedChunks: [0, 1, 2] };
  const empty = { fileSize: 0, totalChunks: 0 };
  const isComplete = (...args: Parameters<typeof group>) => group(...args)[0]!.hasArrived;
  assert.equal(isComplete([upload('a', 'x.bin', whole), upload('a', 'y.txt', empty)]), true);
  assert.equal(isComplete([upload('a', 'x.bin', whole), upload('a', 'y.bin')]), false);
  assert.equal(isComplete([upload('a', 'x.bin', whole)], [record('a', { fileCount: 2 })]), false);
  assert.equal(
    isComplete([upload('a', 'x.bin', whole)], [record('a', { fileCount: 2, completedFiles: 1 })]),
    true,
  );
});
