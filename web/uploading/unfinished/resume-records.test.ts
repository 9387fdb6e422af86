import assert from 'node:assert/strict';
import { test } from 'vitest';
import { modifiedAt, type ResumeRecord, reduceRecord } from './resume-records.ts';

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
