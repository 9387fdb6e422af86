import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../client/api-error.ts';
import { checkSettings } from './settings-checks.ts';
import { newSettingsForm, restoreSettingsForm, type SettingsForm, toSettings } from './settings-form.ts';
import { toRefusedFields } from './settings-refusals.ts';

const NOW = new Date('2026-01-15T12:00').getTime();
const PREMIUM = { tier: 'premium', retentionDays: 90, now: NOW } as const;
const FREE = { tier: 'free', retentionDays: 3, now: NOW } as const;

function fill(
  part: Partial<SettingsForm>,
  { retentionDays }: { retentionDays: number } = PREMIUM,
): SettingsForm {
  return { ...newSettingsForm(retentionDays), ...part };
}

test('Retention days default to the tier’s retentionDays', () => {
  assert.deepEqual(toSettings(fill({}), PREMIUM), { expirationDays: 90 });
  assert.deepEqual(toSettings(fill({}, FREE), FREE), { expirationDays: 3 });
  assert.deepEqual(checkSettings(fill({}), PREMIUM), {});
});

test('sends everything a paying sender fills in', () => {
  const settings = toSettings(
    fill({
      title: ' Film ',
      message: 'Hello',
      recipients: 'rex@example.org, Vera@example.org,rex@example.org',
      password: 'secret',
      maxDownloads: '3',
      autoDelete: true,
      scheduledDate: '2026-01-20',
      scheduledTime: '09:30',
      expiryDate: '2026-02-01',
      expiryTime: '18:00',
    }),
    PREMIUM,
  );
  assert.deepEqual(settings, {
    title: 'Film',
    message: 'Hello',
    recipientEmails: ['rex@example.org', 'Vera@example.org'],
    expiresAt: new Date('2026-02-01T18:00').toISOString(),
    scheduledAvailableAt: new Date('2026-01-20T09:30').toISOString(),
    password: 'secret',
    maxDownloads: 3,
    autoDeleteAfterDownloads: true,
  });
});

test('Download limit and schedule: for non-free tiers only; what the free plan lacks is never sent', () => {
  const form = fill({ password: 'secret', maxDownloads: '3', autoDelete: true, scheduledDate: '2026-01-16' });
  assert.deepEqual(toSettings({ ...form, expirationDays: '2' }, FREE), { expirationDays: 2 });
});

test('Custom expiry: built from date and time only when both are filled', () => {
  assert.deepEqual(toSettings(fill({ expiryDate: '2026-02-01' }), PREMIUM), { expirationDays: 90 });
  assert.deepEqual(toSettings(fill({ expiryTime: '10:00' }), PREMIUM), { expirationDays: 90 });
});

test('a schedule without a time starts at the beginning of the day', () => {
  const { scheduledAvailableAt } = toSettings(fill({ scheduledDate: '2026-01-20' }), PREMIUM);
  assert.equal(scheduledAvailableAt, new Date('2026-01-20T00:00').toISOString());
});

test('names each invalid address', () => {
  const errors = checkSettings(fill({ recipients: 'rex@example.org, foo, vera@, a@b.de' }), PREMIUM);
  assert.equal(
    errors.recipients,
    'Please enter a valid email address: “foo” has no\u00a0@, “vera@” has nothing after the\u00a0@.',
  );
});

test('shows a refusal of the server at its field', () => {
  const errors = { 'recipientEmails.1': 'Bad', maxDownloads: 'Too few', 'uploadIds.0': 'Odd' };
  const settings = { recipientEmails: ['a@b.de', 'foo'] };
  const invalid = new ApiError(400, '', { code: 'invalid_input', errors });
  assert.deepEqual(toRefusedFields(invalid, settings), {
    recipients: 'Bad: “foo”',
    maxDownloads: 'Too few',
  });
  const late = new ApiError(400, 'Too late.', { code: 'schedule_after_expiry' });
  assert.deepEqual(toRefusedFields(late, {}), { scheduledDate: 'Too late.' });
});

test('Transfer creation: expiration days outside 1 and the plan’s retention are ignored', () => {
  for (const expirationDays of ['0', '4', '1.5', 'x', '', '-1', '91']) {
    const form = fill({ expirationDays }, FREE);
    assert.deepEqual(toSettings(form, FREE), { expirationDays: 3 }, expirationDays);
    assert.deepEqual(checkSettings(form, FREE), {}, expirationDays);
  }
  assert.deepEqual(toSettings(fill({ expirationDays: '1' }), FREE), { expirationDays: 1 });
  assert.deepEqual(toSettings(fill({ expirationDays: '90' }), PREMIUM), { expirationDays: 90 });
});

test('Download limit: numeric, minimum 1', () => {
  const check = (maxDownloads: string) => checkSettings(fill({ maxDownloads }), PREMIUM).maxDownloads;
  assert.equal(check('0'), 'The download limit must be at least 1');
  assert.equal(check('1.5'), 'Please enter a whole number.');
  assert.equal(check('1'), undefined);
  assert.equal(check('1000000'), undefined);
  assert.equal(check('1000001'), 'Your plan allows a download limit of at most 1,000,000.');
});

test('Transfer creation: plainPassword 4 to 50 characters', () => {
  const check = (password: string) => checkSettings(fill({ password }), PREMIUM).password;
  assert.equal(check('abc'), 'Please use at least 4 characters.');
  assert.equal(check('a'.repeat(51)), 'Please use at most 50 characters.');
  for (const length of [4, 50]) assert.equal(check('a'.repeat(length)), undefined);
});

test('Recipient e-mails: optional, and at most 50', () => {
  const check = (count: number) =>
    checkSettings(
      fill({ recipients: Array.from({ length: count }, (_, i) => `a${i}@b.de`).join() }),
      PREMIUM,
    );
  assert.deepEqual([check(0), check(50)], [{}, {}]);
  assert.equal(check(51).recipients, 'Please enter at most 50 addresses. You entered 51.');
});

test('shows at the recipients that the day’s emails are used up', () => {
  const used = new ApiError(429, 'You can mail 3 more people today.', { code: 'daily_mails_exceeded' });
  assert.deepEqual(toRefusedFields(used, {}), { recipients: 'You can mail 3 more people today.' });
});

test('refuses an expiry that has passed or lies beyond the plan', () => {
  const past = checkSettings(fill({ expiryDate: '2026-01-15', expiryTime: '11:00' }), PREMIUM);
  assert.equal(past.expiryDate, 'The expiry must be in the future.');
  const late = checkSettings(fill({ expiryDate: '2026-01-30', expiryTime: '11:00' }), FREE);
  assert.equal(late.expiryDate, 'Your plan keeps transfers for at most 3 days.');
});

test('refuses a schedule that has passed or is not before the expiry', () => {
  const past = checkSettings(fill({ scheduledDate: '2026-01-15', scheduledTime: '11:00' }), PREMIUM);
  assert.equal(past.scheduledDate, 'This time has passed. Please choose a later one.');
  const late = checkSettings(fill({ scheduledDate: '2026-01-18', expirationDays: '2' }), PREMIUM);
  assert.equal(late.scheduledDate, 'The scheduled time must be before the expiry.');
});

test('a resumed transfer that had a password needs it again', () => {
  const rules = { ...PREMIUM, needsPassword: true };
  assert.match(checkSettings(fill({}), rules).password!, /enter it again/);
  assert.deepEqual(checkSettings(fill({ password: 'secret' }), rules), {});
});

test('settings survive the round trip through the form', () => {
  const form = fill({
    title: 'Film',
    recipients: 'rex@example.org, vera@example.org',
    maxDownloads: '3',
    autoDelete: true,
    scheduledDate: '2026-01-20',
    scheduledTime: '09:30',
    expiryDate: '2026-02-01',
    expiryTime: '18:00',
  });
  assert.deepEqual(restoreSettingsForm(toSettings(form, PREMIUM), 90), form);
});
