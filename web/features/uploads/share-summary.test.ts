import assert from 'node:assert/strict';
import { test } from 'vitest';
import { newSettingsForm, type SettingsForm } from '../../transfer-settings/settings-form.ts';
import { describeShare } from './share-summary.ts';

const NOW = new Date('2026-01-15T12:00').getTime();
const PREMIUM = { tier: 'premium', retentionDays: 90 } as const;
const FREE = { tier: 'free', retentionDays: 3 } as const;

function fill(part: Partial<SettingsForm>): SettingsForm {
  return { ...newSettingsForm(90), ...part };
}

/** Without the narrow spaces that dates are written with. */
function describe(part: Partial<SettingsForm>, rules: typeof PREMIUM | typeof FREE = PREMIUM): string {
  return describeShare(fill(part), rules, { now: NOW, isEncrypted: part.isEncrypted ?? false })
    .join(' · ')
    .replaceAll('\u202f', ' ');
}

test('says when a transfer expires', () => {
  assert.match(describe({ expirationDays: '2' }), /^Expires in 2 days · /);
  assert.match(describe({ expirationDays: '99' }, FREE), /^Expires in 3 days · /);
  assert.match(describe({ expiryDate: '2026-02-01', expiryTime: '18:00' }), /^Expires Feb 1, 6:00 PM · /);
});

test('says that a transfer has no password and no limit', () => {
  assert.equal(describe({ expirationDays: '1' }), 'Expires in 1 day · No password · No limit');
});

test('lists all other settings', () => {
  assert.equal(
    describe({
      expirationDays: '2',
      scheduledDate: '2026-01-16',
      recipients: 'a@b.de, c@d.de, e@f.de, not yet',
      maxDownloads: '1',
      autoDelete: true,
      password: 'secret',
    }),
    '3 recipients · Opens Jan 16, 12:00 AM · Expires in 2 days · Password · 1 download at most, then deleted',
  );
});

test('begins with the encryption', () => {
  assert.match(describe({ isEncrypted: true }), /^End-to-end encrypted · Expires in/);
});

test('leaves out settings the plan does not include', () => {
  const form = { maxDownloads: '1', password: 'secret', scheduledDate: '2026-01-16', recipients: 'a@b.de' };
  assert.equal(describe(form, FREE), '1 recipient · Expires in 3 days · No password · No limit');
});
