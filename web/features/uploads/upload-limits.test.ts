import assert from 'node:assert/strict';
import { test } from 'vitest';
import { GIB } from '../../../contracts/values/sizes.ts';
import { findLimitBreach, limitTitle } from './upload-limits.ts';

const FREE = {
  tier: 'free',
  limits: { storagePerTransfer: 5 * GIB, monthlyTotal: 10 * GIB, retentionDays: 3 },
  isKnown: true,
  monthlyUsage: 7 * GIB,
} as const;

test('Size per transfer: one file may be as large as storagePerTransfer, to the last byte', () => {
  assert.equal(findLimitBreach(FREE, { transferBytes: 5 * GIB, newBytes: 3 * GIB }), undefined);
});

test('Size per transfer: File size limit exceeded, in the specification’s words', () => {
  assert.deepEqual(findLimitBreach(FREE, { transferBytes: 5 * GIB + 1, newBytes: 1 }), {
    title: 'File size limit exceeded',
    description: 'Your free plan allows up to 5 GB per transfer. Upgrade to increase your limit.',
  });
});

test('limits that are not known yet refuse nothing', () => {
  const plan = { ...FREE, isKnown: false };
  assert.equal(findLimitBreach(plan, { transferBytes: 50 * GIB, newBytes: 50 * GIB }), undefined);
});

test('Monthly: Monthly limit exceeded, in the specification’s words', () => {
  assert.deepEqual(findLimitBreach(FREE, { transferBytes: 4 * GIB, newBytes: 4 * GIB }), {
    title: 'Monthly limit exceeded',
    description: 'Your free plan allows 10 GB per month. You have 3 GB remaining. Upgrade for more capacity.',
  });
});

test('bytes reserved by an unfinished transfer are not counted again', () => {
  assert.equal(findLimitBreach(FREE, { transferBytes: 5 * GIB, newBytes: 0 }), undefined);
});

test('recognizes the server’s refusals because of limits', () => {
  assert.equal(limitTitle('monthly_limit_exceeded'), 'Monthly limit exceeded');
  assert.equal(limitTitle('not_found'), undefined);
});
