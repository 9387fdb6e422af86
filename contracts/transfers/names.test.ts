import assert from 'node:assert/strict';
import test from 'node:test';
import { nameForRecipients, nameTransfer } from './names.ts';

const createdAt = '2026-03-14T12:00:00.000Z';

test('a transfer is named by its title, or by its day of creation', () => {
  assert.equal(nameTransfer({ title: 'Holiday film', createdAt }), 'Holiday film');
  for (const title of [null, ''])
    assert.equal(nameTransfer({ title, createdAt }), 'Transfer of March 14, 2026');
});

test('the server formats the day in UTC', () => {
  const lateEvening = Date.parse('2026-03-14T23:30:00.000Z');
  assert.equal(
    nameTransfer({ title: null, createdAt: lateEvening }, { isUtc: true }),
    'Transfer of March 14, 2026',
  );
});

test('recipients see the title, or the number of files', () => {
  assert.equal(nameForRecipients({ title: 'Rushes', fileCount: 2 }), 'Rushes');
  assert.equal(nameForRecipients({ title: null, fileCount: 1 }), '1 file for you');
  assert.equal(nameForRecipients({ title: '', fileCount: 1200 }), '1,200 files for you');
});
