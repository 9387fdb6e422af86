import assert from 'node:assert/strict';
import test from 'node:test';
import { RecentVisitors, VIEW_WINDOW_MS } from './recent-visitors.ts';

const NOW = Date.UTC(2026, 0, 1);
const look = (userAgent: string, address = '203.0.113.7') => ({ transferId: 't', address, userAgent });

test('a visitor’s look is the first again after half an hour, not before', () => {
  const visitors = new RecentVisitors();
  const at = (ms: number) => visitors.isFirstLook(look('Firefox'), NOW + ms);
  assert.deepEqual([0, 1, VIEW_WINDOW_MS - 1, VIEW_WINDOW_MS, VIEW_WINDOW_MS + 1].map(at), [
    true,
    false,
    false,
    true,
    false,
  ]);
});

test('a clock that was set back does not silence anybody', () => {
  const visitors = new RecentVisitors();
  assert.equal(visitors.isFirstLook(look('Firefox'), NOW), true);
  assert.equal(visitors.isFirstLook(look('Firefox'), NOW - 365 * 24 * 3_600_000), true);
});

test('an address that shows a new browser each time is believed a thousand times', () => {
  const visitors = new RecentVisitors();
  const first = Array.from({ length: 1_500 }, (_, index) => visitors.isFirstLook(look(`bot ${index}`), NOW));
  assert.equal(first.filter(Boolean).length, 1_000);
  assert.equal(visitors.isFirstLook(look('Firefox', '203.0.113.8'), NOW), true);
});

test('the oldest visitors are forgotten when there are too many', () => {
  const visitors = new RecentVisitors();
  const addresses = Array.from({ length: 20_001 }, (_, index) => `address ${index}`);
  for (const address of addresses) visitors.isFirstLook(look('Firefox', address), NOW);
  assert.equal(visitors.isFirstLook(look('Firefox', addresses.at(-1)), NOW), false);
  assert.equal(visitors.isFirstLook(look('Firefox', addresses[0]), NOW), true);
});
