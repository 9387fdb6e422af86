import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Invitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { GIB, MIB } from '../../../contracts/values/sizes.ts';
import { checkForm, type InvitationForm, toBody, toChanges, toInvitationForm } from './invitation-form.ts';

const NEW = { isNew: true, planBytes: 50 * GIB };
const EMPTY = toInvitationForm(undefined);

const STORED: Invitation = {
  id: 'invitation',
  token: 'token',
  title: 'Pictures',
  message: null,
  expiresAt: '2026-03-14T15:00:00.000Z',
  createdAt: '2026-02-14T15:00:00.000Z',
  isActive: true,
  isExpired: false,
  isRecurring: false,
  maxFileSize: 1.5 * GIB,
  maxTotalSize: 50 * GIB,
  maxFiles: 12,
  totalFilesLimit: null,
  totalBytesLimit: 2 * GIB,
  hasOwnFileSize: true,
  hasOwnTotalSize: false,
  allowedTypes: ['jpg', 'tar.gz'],
  arrivals: { transfers: 0, files: 0, bytes: 0 },
  usedFiles: 0,
  usedBytes: 0,
};

function wrongIn(typed: Partial<InvitationForm>) {
  return checkForm({ ...EMPTY, title: 'Pictures', ...typed }, NEW);
}

test('Invitation creation: a title that is not blank, 1 to 90 whole days, 30 by default', () => {
  assert.equal(EMPTY.expirationDays, '30');
  assert.deepEqual(wrongIn({}), {});
  assert.deepEqual(wrongIn({ title: '  ' }), { title: 'Title is required' });
  assert.deepEqual(wrongIn({ expirationDays: '' }), { expirationDays: 'Please enter a number of days' });
  assert.deepEqual(wrongIn({ expirationDays: '0' }), { expirationDays: 'Please enter at least 1 day' });
  assert.deepEqual(wrongIn({ expirationDays: '91' }), { expirationDays: 'Please enter at most 90 days' });
  assert.deepEqual(wrongIn({ expirationDays: '1.5' }), {
    expirationDays: 'Please enter a whole number of days',
  });
});

test('limits are sizes such as 5GB, within the plan', () => {
  assert.deepEqual(wrongIn({ maxFileSize: '5 bananas' }), {
    maxFileSize: 'Please enter a size like 5GB or 500MB',
  });
  assert.deepEqual(wrongIn({ maxTotalSize: '51GB' }), { maxTotalSize: 'Your plan allows at most 50 GB' });
  assert.deepEqual(wrongIn({ maxFileSize: '0B' }), { maxFileSize: 'The limit must be at least 1 byte' });
  assert.deepEqual(wrongIn({ maxFiles: '2.5' }), { maxFiles: 'Please enter a whole number' });
  assert.deepEqual(wrongIn({ maxFiles: '0' }), { maxFiles: 'Please allow at least 1 file' });
  assert.deepEqual(wrongIn({ allowedTypes: 'jpg, p/d' }), {
    allowedTypes: 'Please enter file types like pdf, jpg, docx',
  });
  assert.deepEqual(wrongIn({ maxFileSize: '500 mb', maxTotalSize: '50GB', allowedTypes: '.PDF *.jpg' }), {});
});

test('empty limits follow the plan', () => {
  const { title, ...limits } = toBody({ ...EMPTY, title: ' Pictures ', maxFileSize: '500MB', maxFiles: '' });
  assert.equal(title, 'Pictures');
  assert.deepEqual(limits, {
    message: '',
    expirationDays: 30,
    maxFileSize: 500 * MIB,
    maxTotalSize: null,
    maxFiles: 100,
    totalFilesLimit: null,
    totalBytesLimit: null,
    allowedTypes: '',
    isRecurring: false,
  });
});

test('a new invitation has a title that names the sender, so that nothing must be typed', () => {
  const form = toInvitationForm(undefined, 'Ann Lee');
  assert.equal(form.title, 'Files for Ann Lee');
  assert.deepEqual(checkForm(form, NEW), {});
  assert.equal(toInvitationForm(undefined, 'x'.repeat(300)).title.length, 200);
  assert.equal(toInvitationForm(STORED, 'Ann Lee').title, 'Pictures');
});

test('a total needs a number of files or a size, and only counts while it is switched on', () => {
  assert.deepEqual(wrongIn({ hasTotal: true }), {
    totalFilesLimit: 'Please enter a number of files, a size, or both',
  });
  assert.deepEqual(wrongIn({ hasTotal: true, totalFilesLimit: '500' }), {});
  assert.deepEqual(wrongIn({ hasTotal: true, totalBytesLimit: '1TB' }), {});
  assert.deepEqual(wrongIn({ hasTotal: true, totalFilesLimit: '2.5' }), {
    totalFilesLimit: 'Please enter a whole number',
  });
  assert.deepEqual(wrongIn({ hasTotal: true, totalFilesLimit: '0', totalBytesLimit: 'much' }), {
    totalFilesLimit: 'Please allow at least 1 file',
    totalBytesLimit: 'Please enter a size like 5GB or 500MB',
  });
  assert.deepEqual(wrongIn({ hasTotal: false, totalFilesLimit: '0', totalBytesLimit: 'much' }), {});
  const typed = { ...EMPTY, totalFilesLimit: '500', totalBytesLimit: '1GB' };
  assert.partialDeepStrictEqual(toBody(typed), { totalFilesLimit: null, totalBytesLimit: null });
  assert.partialDeepStrictEqual(toBody({ ...typed, hasTotal: true }), {
    totalFilesLimit: 500,
    totalBytesLimit: GIB,
  });
});

test('the total is saved with any limit that it may follow', () => {
  const form = toInvitationForm(STORED);
  const total = { totalFilesLimit: null, totalBytesLimit: 2 * GIB };
  assert.deepEqual(toChanges({ ...form, maxFiles: '20' }, form), { maxFiles: 20, ...total });
  assert.deepEqual(toChanges({ ...form, hasTotal: false }, form), { ...total, totalBytesLimit: null });
  assert.deepEqual(toChanges({ ...form, totalFilesLimit: '9' }, form), { ...total, totalFilesLimit: 9 });
});

test('the form shows the invitation, and only changes are sent', () => {
  const form = toInvitationForm(STORED);
  assert.deepEqual(form, {
    title: 'Pictures',
    message: '',
    expirationDays: '',
    maxFileSize: '1.5GB',
    maxTotalSize: '',
    maxFiles: '12',
    allowedTypes: 'jpg, tar.gz',
    isRecurring: false,
    hasTotal: true,
    totalFilesLimit: '',
    totalBytesLimit: '2GB',
    isEncrypted: false,
  });
  assert.deepEqual(checkForm(form, { ...NEW, isNew: false }), {});
  assert.deepEqual(toChanges(form, form), {});
  assert.deepEqual(toChanges({ ...form, title: 'Pictures ', expirationDays: '7', maxFileSize: '' }, form), {
    expirationDays: 7,
    maxFileSize: null,
  });
});

test('a size survives the round trip exactly', () => {
  const textOf = (maxFileSize: number) => toInvitationForm({ ...STORED, maxFileSize }).maxFileSize;
  assert.equal(textOf(5 * GIB), '5GB');
  assert.equal(textOf(1), '1B');
  assert.equal(textOf(1_000_000), '1000000B');
  assert.equal(textOf(2_560), '2.5KB');
});
