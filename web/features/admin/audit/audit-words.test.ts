import assert from 'node:assert/strict';
import { test } from 'vitest';
import { describeAction, describeDetails } from './audit-words.ts';

test('describes known actions and names unknown ones', () => {
  assert.equal(describeAction('user.delete'), 'Deleted user');
  assert.equal(describeAction('moon.land'), 'moon.land');
});

test('of a change only the differences are shown', () => {
  assert.deepEqual(describeDetails({ from: 'free', to: 'pro' }), ['free → pro']);
  assert.deepEqual(
    describeDetails({
      from: { free: { retentionDays: 3 }, pro: { price: 9.99 } },
      to: { free: { retentionDays: 5 }, pro: { price: 9.99 } },
    }),
    ['free: retention days: 3 → 5'],
  );
});

test('empty values are left out', () => {
  assert.deepEqual(describeDetails({ days: 7, owner: 'vera', maxUses: null }), ['days: 7', 'owner: vera']);
  assert.deepEqual(describeDetails({}), []);
});

test('names and values are readable', () => {
  assert.deepEqual(
    describeDetails({
      isAdmin: true,
      discountPercent: 20,
      from: { free: { monthlyTotal: 1024 } },
      to: { free: { monthlyTotal: 2048 } },
    }),
    ['free: monthly total: 1 KB → 2 KB', 'admin: yes', 'discount percent: 20'],
  );
});
