import assert from 'node:assert/strict';
import test from 'node:test';
import { decidePlan, entitles } from './plan-rules.ts';

const NOW = 1_000;

test('active and trialing subscriptions entitle, past-due ones within the grace period, others do not', () => {
  const cases: [status: Parameters<typeof entitles>[0]['status'], graceEndsAt: number | null, boolean][] = [
    ['incomplete', null, false],
    ['active', null, true],
    ['trialing', null, true],
    ['past_due', NOW + 1, true],
    ['past_due', NOW, false],
    ['past_due', null, false],
    ['ended', null, false],
  ];
  for (const [status, graceEndsAt, expected] of cases)
    assert.equal(entitles({ status, graceEndsAt }, NOW), expected, `${status} until ${graceEndsAt}`);
});

const no = { tier: 'pro', isEntitled: false } as const;
const pro = { tier: 'pro', isEntitled: true } as const;
const premium = { tier: 'premium', isEntitled: true } as const;

test('a plan starts with its subscription, follows its tier, and becomes Free when it ends', () => {
  assert.deepEqual(decidePlan(null, { id: 'a', before: no, after: pro, other: undefined }), {
    tier: 'pro',
    paymentSubscriptionId: 'a',
  });
  assert.deepEqual(decidePlan('a', { id: 'a', before: pro, after: premium, other: undefined }), {
    tier: 'premium',
    paymentSubscriptionId: 'a',
  });
  assert.deepEqual(decidePlan('a', { id: 'a', before: pro, after: no, other: undefined }), {
    tier: 'free',
    paymentSubscriptionId: null,
  });
});

test('a sync without news leaves the plan unchanged, regardless of who set it', () => {
  assert.equal(decidePlan('a', { id: 'a', before: pro, after: pro, other: undefined }), undefined);
  assert.equal(decidePlan(null, { id: 'a', before: pro, after: pro, other: undefined }), undefined);
  assert.equal(decidePlan(null, { id: 'a', before: no, after: no, other: undefined }), undefined);
});

test('the end of a subscription that does not pay for the plan changes nothing', () => {
  assert.equal(decidePlan('b', { id: 'a', before: pro, after: no, other: undefined }), undefined);
});

test('when one of two subscriptions ends, the plan of the other one applies', () => {
  const other = { id: 'b', tier: 'premium' } as const;
  assert.deepEqual(decidePlan('a', { id: 'a', before: pro, after: no, other }), {
    tier: 'premium',
    paymentSubscriptionId: 'b',
  });
});
