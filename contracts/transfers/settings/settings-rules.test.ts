import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '../../values/durations.ts';
import {
  canSet,
  findAutoDeleteError,
  findExcludedSetting,
  findLimitError,
  findScheduleError,
  isAllowedExpirationDays,
  latestExpiry,
  resolveExpiry,
} from './settings-rules.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

test('a setting is allowed if the plan includes it or the transfer has it from an earlier plan', () => {
  assert.equal(canSet('password', 'free'), false);
  assert.equal(canSet('password', 'pro'), true);
  assert.equal(canSet('password', 'free', { password: true }), true);
  const wanted = { password: 'sesame', maxDownloads: 3 };
  assert.equal(findExcludedSetting(wanted, 'free'), 'password');
  assert.equal(findExcludedSetting(wanted, 'free', { password: true }), 'maxDownloads');
  assert.equal(findExcludedSetting(wanted, 'pro'), undefined);
});

test('removing a setting is allowed on every plan', () => {
  const removed = {
    password: null,
    maxDownloads: null,
    scheduledAvailableAt: null,
    autoDeleteAfterDownloads: false,
  };
  assert.equal(findExcludedSetting(removed, 'free'), undefined);
});

test('an exact expiry takes precedence over days, and both over the current expiry', () => {
  const expiresAt = new Date(NOW + DAY_MS).toISOString();
  assert.equal(resolveExpiry({ expiresAt, expirationDays: 5 }, { now: NOW }), NOW + DAY_MS);
  assert.equal(resolveExpiry({ expirationDays: 5 }, { now: NOW, current: 1 }), NOW + 5 * DAY_MS);
  assert.equal(resolveExpiry({}, { now: NOW, current: 1 }), 1);
  assert.equal(resolveExpiry({}, { now: NOW }), null);
});

test('a transfer may last as long as the plan or its current expiry allows', () => {
  assert.equal(latestExpiry({ now: NOW, retentionDays: 3 }), NOW + 3 * DAY_MS);
  assert.equal(latestExpiry({ now: NOW, retentionDays: 3, current: NOW + DAY_MS }), NOW + 3 * DAY_MS);
  assert.equal(latestExpiry({ now: NOW, retentionDays: 3, current: NOW + 9 * DAY_MS }), NOW + 9 * DAY_MS);
  for (const days of [1, 3]) assert.equal(isAllowedExpirationDays(days, 3), true);
  for (const days of [0, 4, 1.5, Number.NaN]) assert.equal(isAllowedExpirationDays(days, 3), false);
});

test('contradictory settings are refused', () => {
  assert.equal(findScheduleError(NOW, NOW), 'schedule_after_expiry');
  assert.equal(findScheduleError(NOW, NOW + 1), undefined);
  assert.equal(findScheduleError(NOW, null), undefined);
  assert.equal(findLimitError({ maxDownloads: 3, downloadCount: 4 }), 'limit_below_downloads');
  assert.equal(findLimitError({ maxDownloads: 4, downloadCount: 4 }), undefined);
  assert.equal(findAutoDeleteError({ autoDelete: true, maxDownloads: null }), 'auto_delete_needs_limit');
  assert.equal(findAutoDeleteError({ autoDelete: true, maxDownloads: 1 }), undefined);
});
