import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../client/api-error.ts';
import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { checkSettings } from './settings-checks.ts';
import { editSettingsForm, type SettingsForm, type SettingsPlan, toChanges } from './settings-form.ts';
import { toRefusedFields } from './settings-refusals.ts';

const NOW = Date.UTC(2026, 2, 14, 12, 0, 30);
const PRO: SettingsPlan = { tier: 'pro', retentionDays: 30 };
const FREE: SettingsPlan = { tier: 'free', retentionDays: 3 };

const TRANSFER: Transfer = {
  id: 'a',
  token: 'b',
  title: 'Film',
  message: null,
  recipientEmails: ['rex@example.org'],
  createdAt: new Date(NOW).toISOString(),
  expiresAt: new Date(NOW + 2 * DAY_MS).toISOString(),
  scheduledAvailableAt: null,
  isExpired: false,
  isPasswordProtected: true,
  downloadCount: 4,
  maxDownloads: 10,
  autoDeleteAfterDownloads: true,
  fileCount: 1,
  totalSize: 1,
  version: 1,
  isTakenDown: false,
  scanState: null,
  heldFiles: [],
};

function edit(changes: Partial<SettingsForm>, plan = PRO, transfer = TRANSFER) {
  const form = { ...editSettingsForm(transfer, plan.retentionDays), ...changes };
  const sent = toChanges(form, plan, transfer);
  return { sent, errors: checkSettings(form, { ...plan, transfer, now: NOW }) };
}

test('an untouched form changes nothing, whatever is set', () => {
  assert.deepEqual(edit({}), { sent: {}, errors: {} });
  const scheduled = { ...TRANSFER, scheduledAvailableAt: new Date(NOW + DAY_MS).toISOString() };
  assert.deepEqual(edit({}, FREE, scheduled).sent, {});
});

test('only changes are sent, and emptied fields are removed', () => {
  assert.deepEqual(edit({ title: ' Film ', message: 'Hello' }).sent, { message: 'Hello' });
  assert.deepEqual(edit({ title: '' }).sent, { title: null });
  assert.deepEqual(edit({ recipients: '' }).sent, { recipientEmails: [] });
  assert.deepEqual(edit({ removesPassword: true, password: 'typed before' }).sent, { password: null });
});

test('without a limit there is no auto-delete', () => {
  assert.deepEqual(edit({ maxDownloads: '' }).sent, { maxDownloads: null, autoDeleteAfterDownloads: false });
});

test('after a downgrade existing settings can be changed or removed, but none added', () => {
  const scheduledAvailableAt = new Date('2026-03-15T08:00').toISOString();
  const typed = {
    password: 'sesame',
    maxDownloads: '20',
    scheduledDate: '2026-03-15',
    scheduledTime: '09:00',
  };
  assert.deepEqual(edit(typed, FREE, { ...TRANSFER, scheduledAvailableAt }).sent, {
    password: 'sesame',
    maxDownloads: 20,
    scheduledAvailableAt: new Date('2026-03-15T09:00').toISOString(),
  });
  const removed = { removesPassword: true, maxDownloads: '', scheduledDate: '' };
  assert.deepEqual(edit(removed, FREE, { ...TRANSFER, scheduledAvailableAt }).sent, {
    password: null,
    maxDownloads: null,
    autoDeleteAfterDownloads: false,
    scheduledAvailableAt: null,
  });
  const bare = {
    ...TRANSFER,
    isPasswordProtected: false,
    maxDownloads: null,
    autoDeleteAfterDownloads: false,
  };
  assert.deepEqual(edit(typed, FREE, bare).sent, {});
});

test('an expiry is set in days or exactly, within the plan', () => {
  assert.deepEqual(edit({ expiry: 'days', expirationDays: '30' }), {
    sent: { expirationDays: 30 },
    errors: {},
  });
  const days = { expirationDays: 'Please choose 1 to 30 days.' };
  for (const expirationDays of ['', '0', '31', '1.5', 'x'])
    assert.deepEqual(edit({ expiry: 'days', expirationDays }).errors, days, expirationDays);
  assert.deepEqual(edit({ expiry: 'date', expiryTime: '' }).errors, { expiryTime: 'Please choose a time.' });
  const past = edit({ expiry: 'date', expiryDate: '2026-03-01', expiryTime: '10:00' });
  assert.deepEqual(past.errors, { expiryDate: 'The expiry must be in the future.' });
  const late = edit({ expiry: 'date', expiryDate: '2026-06-01', expiryTime: '10:00' });
  assert.deepEqual(late.errors, { expiryDate: 'Your plan keeps transfers for at most 30 days.' });
});

test('an expiry from an earlier plan may stay', () => {
  const promised = { ...TRANSFER, expiresAt: new Date(NOW + 60 * DAY_MS).toISOString() };
  assert.deepEqual(edit({ expiry: 'date' }, FREE, promised).errors, {});
});

test('a schedule starts at the beginning of its day, before the expiry', () => {
  const { sent } = edit({ scheduledDate: '2026-03-15' });
  assert.deepEqual(sent, { scheduledAvailableAt: new Date('2026-03-15T00:00').toISOString() });
  const late = edit({ scheduledDate: '2026-03-20', scheduledTime: '10:00' });
  assert.deepEqual(late.errors, { scheduledDate: 'The scheduled time must be before the expiry.' });
  const inTime = edit({ scheduledDate: '2026-03-20', expiry: 'days', expirationDays: '20' });
  assert.deepEqual(inTime.errors, {});
});

test('mistakes are shown at their fields', () => {
  assert.deepEqual(edit({ maxDownloads: '3' }).errors, {
    maxDownloads: 'There have already been 4 downloads. The limit cannot be lower.',
  });
  assert.deepEqual(Object.keys(edit({ maxDownloads: '0', autoDelete: false }).errors), ['maxDownloads']);
  assert.match(edit({ maxDownloads: '2000000' }).errors.maxDownloads ?? '', /at most 1,0/);
  assert.deepEqual(edit({ password: 'abc' }).errors, { password: 'Please use at least 4 characters.' });
  assert.match(edit({ recipients: 'rex' }).errors.recipients ?? '', /rex/);
});

test('a refusal of the server is shown at its field', () => {
  const refusal = new ApiError(400, 'Too low', { code: 'limit_below_downloads' });
  assert.deepEqual(toRefusedFields(refusal, {}), { maxDownloads: 'Too low' });
  const invalid = new ApiError(400, 'Wrong', { errors: { 'recipientEmails.0': 'No address' } });
  assert.deepEqual(toRefusedFields(invalid, {}), { recipients: 'No address' });
  assert.deepEqual(toRefusedFields(new TypeError('offline'), {}), {});
});
