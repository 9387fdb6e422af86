import assert from 'node:assert/strict';
import { createStore, del, keys, set } from 'idb-keyval';
import { test, vi } from 'vitest';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import type { UploadItem } from '../engine/upload-item.ts';
import { reduceRecord, reduceRecords } from './reduce-records.ts';
import { ResumeRecorder } from './resume-recorder.ts';
import { findRecord, keepOnlyRecords, modifiedAt, type ResumeRecord } from './resume-records.ts';

test('signing out removes names and texts from the device, but keeps what resuming needs', () => {
  const record: ResumeRecord = {
    transferId: 'a'.repeat(26),
    fileCount: 2,
    completedFiles: 1,
    settings: {
      title: 'Offer for Harbor',
      message: 'Please keep this between us',
      recipientEmails: ['client@example.org'],
      maxDownloads: 3,
    },
    hadPassword: true,
    roots: [{ name: 'Harbor' } as FileSystemHandle],
    modified: { '1024:Harbor/Größe: 1.pdf': 5, '9:Harbor/notes.txt': 7 },
    savedAt: 1,
  };
  const reduced = reduceRecord(record);
  assert.doesNotMatch(JSON.stringify(reduced), /Harbor|pdf|notes|between us|client/);
  assert.deepEqual(reduced.settings, { maxDownloads: 3 });
  assert.equal(reduced.hadPassword, true);
  for (const either of [record, reduced]) {
    assert.equal(modifiedAt(either, '1024:Harbor/Größe: 1.pdf'), 5);
    assert.equal(modifiedAt(either, '9:Harbor/notes.txt'), 7);
    assert.equal(modifiedAt(either, '9:Harbor/other.txt'), undefined);
    assert.equal(modifiedAt(either, '10:Harbor/notes.txt'), undefined);
  }
});

const ID = 'b'.repeat(26);

function progressOf(items: UploadItem[], completedFiles: number): Parameters<ResumeRecorder['update']>[0] {
  return {
    transferId: ID,
    phase: 'uploading',
    items,
    fileCount: items.length,
    completedFiles,
    isSubmitted: true,
    isEncrypted: false,
    isUnfinished: true,
  };
}

function itemOf(relativePath: string, lastModified: number): UploadItem {
  return { relativePath, size: 9, file: { lastModified } } as UploadItem;
}

/** The recorder does not wait until it has saved. */
function expectRecord(completedFiles: number, modified: Record<string, number>): Promise<void> {
  return vi.waitFor(async () => {
    const found = await findRecord(ID);
    assert.deepEqual([found?.completedFiles, found?.modified], [completedFiles, modified]);
  });
}

test('the times of all files are stored again only if the files change', async () => {
  keepDatabasesInMemory();
  const recorder = new ResumeRecorder('');
  const resumable = { settings: () => ({ title: 'Plans' }), roots: [] };
  const items = [itemOf('Harbor/a.txt', 5)];
  recorder.update(progressOf(items, 0), resumable);
  await expectRecord(0, { '9:Harbor/a.txt': 5 });
  // Whoever stored them again would restore them.
  await del(`times ${ID}`, createStore('sendwell-uploads', 'records'));
  recorder.update(progressOf(items, 1), resumable);
  await expectRecord(1, {});
  recorder.update(progressOf([...items, itemOf('b.txt', 7)], 1), resumable);
  await expectRecord(1, { '9:Harbor/a.txt': 5, '9:b.txt': 7 });

  await reduceRecords();
  const reduced = (await findRecord(ID))!;
  assert.doesNotMatch(JSON.stringify(reduced), /Harbor|Plans/);
  assert.equal(modifiedAt(reduced, '9:Harbor/a.txt'), 5);
  const gone = { scope: '', transferIds: new Set<string>(), requestedAt: Date.now() + 1 };
  assert.deepEqual(await keepOnlyRecords(gone), [ID]);
  assert.deepEqual(await keys(createStore('sendwell-uploads', 'records')), []);
});

test('records of earlier versions keep their times', async () => {
  keepDatabasesInMemory();
  const earlier = { transferId: ID, settings: {}, modified: { '9:a.txt': 5 } };
  await set(ID, earlier, createStore('sendwell-uploads', 'records'));
  assert.equal(modifiedAt((await findRecord(ID))!, '9:a.txt'), 5);
});
