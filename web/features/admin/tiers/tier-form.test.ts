import assert from 'node:assert/strict';
import { test } from 'vitest';
import { DEFAULT_TIER_CONFIG } from '../../../../contracts/plans/tiers.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { readTierForm, type TierForm, toTierForm } from './tier-form.ts';

const FORM = toTierForm(DEFAULT_TIER_CONFIG);

function withFree(changes: Partial<TierForm['free']>): TierForm {
  return { ...FORM, free: { ...FORM.free, ...changes } };
}

test('unchanged values are sent as they were', () => {
  assert.deepEqual(readTierForm(FORM), { config: DEFAULT_TIER_CONFIG });
  assert.deepEqual([FORM.free.storagePerTransfer, FORM.premium.monthlyTotal], ['5GB', '500GB']);
});

test('sizes are texts such as 2000MB or 1024KB, base 1024', () => {
  const read = readTierForm(withFree({ storagePerTransfer: '2000MB', monthlyTotal: '1024KB' }));
  assert.ok('config' in read);
  assert.equal(read.config.free.storagePerTransfer, 2000 * MIB);
  assert.equal(read.config.free.monthlyTotal, 1024 * KIB);
});

test('the rule about encryption is sent as it was chosen', () => {
  const read = readTierForm(withFree({ encryption: 'required' }));
  assert.ok('config' in read);
  assert.equal(read.config.free.encryption, 'required');
});

test("anything else is an 'Invalid byte string format'", () => {
  for (const text of ['', '5', 'GB', '5 gigs', '-5GB', '5PB']) {
    const read = readTierForm(withFree({ monthlyTotal: text }));
    assert.deepEqual(
      'wrong' in read && read.wrong,
      { field: 'free.monthlyTotal', message: 'Invalid byte string format', isSize: true },
      text,
    );
  }
});

test('days and prices have error sentences of their own', () => {
  const days = readTierForm(withFree({ retentionDays: '120' }));
  assert.equal('wrong' in days && days.wrong.field, 'free.retentionDays');
  const price = readTierForm({ ...FORM, pro: { ...FORM.pro, price: 'much' } });
  assert.equal('wrong' in price && price.wrong.message, 'Please enter a price in dollars');
});
