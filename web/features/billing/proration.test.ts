import assert from 'node:assert/strict';
import { test } from 'vitest';
import { estimateProration } from './proration.ts';

const RENEWS_AT = '2026-07-01T00:00:00.000Z';
const active = { status: 'active', renewsAt: RENEWS_AT, nextChargeCents: 999 } as const;

test('half a month of the difference is due in the middle of the month', () => {
  const middle = Date.parse('2026-06-16T00:00:00.000Z');
  assert.equal(estimateProration(active, 2499, middle), 750);
  assert.equal(estimateProration(active, 2499, Date.parse('2026-06-01T00:00:00.000Z')), 1500);
  assert.equal(estimateProration(active, 2499, Date.parse(RENEWS_AT)), 0);
});

test('an upgrade during free months costs a whole month, and a cheaper plan costs nothing', () => {
  const middle = Date.parse('2026-06-16T00:00:00.000Z');
  assert.equal(estimateProration({ ...active, status: 'trialing' }, 2499, middle), 2499);
  assert.equal(estimateProration(active, 500, middle), 0);
  assert.equal(estimateProration({ ...active, renewsAt: null }, 2499, middle), 0);
});
