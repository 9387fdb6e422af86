import assert from 'node:assert/strict';
import test from 'node:test';
import { nameForRecipients, nameTransfer } from './names.ts';

const createdAt = '2026-03-14T12:00:00.000Z';

test('a transfer has its title, and without one the day it was created', () => {
  assert.equal(nameTransfer({ title: 'Holiday film', createdAt }), 'Holiday film');
  for (const title of [null, ''])
    assert.equal(nameTransfer({ title, createdAt }), 'Transfer of March 14, 2026');
});

test('the server names the day in UTC', () => {
  const lateEvening = Date.parse('2026-03-14T23:30:00.000Z');
  assert.equal(
    nameTransfer({ title: null, createdAt: lateEvening }, { isUtc: true }),
    'Transfer of March 14, 2026',
  );
});

test('recipients see the title, and without one how many files there are', () => {
  assert.equal(nameForRecipients({ title: 'Rushes', fileCount: 2 }), 'Rushes');
  assert.equal(nameForRecipients({ title: null, fileCount: 1 }), '1 file for you');
  assert.equal(nameForRecipients({ title: '', fileCount: 1200 }), '1,200 files for you');
});
