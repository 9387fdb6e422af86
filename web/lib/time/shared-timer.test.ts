import assert from 'node:assert/strict';
import { afterEach, test, vi } from 'vitest';
import { wakeAt } from './shared-timer.ts';

afterEach(() => void vi.useRealTimers());

test('one timer serves a thousand callers, each at its own instant', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  const woken: number[] = [];
  for (let each = 0; each < 1_000; each += 1) wakeAt(1_000_000 + each, () => woken.push(each));
  vi.advanceTimersByTime(499);
  assert.equal(woken.length, 500);
  vi.advanceTimersByTime(500);
  assert.equal(woken.length, 1_000);
  vi.advanceTimersByTime(10_000);
  assert.equal(woken.length, 1_000);
});

test('waits for an instant in three months', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  const instant = 1_000_000 + 90 * 86_400_000;
  let isWoken = false;
  wakeAt(instant, () => {
    isWoken = true;
  });
  vi.advanceTimersByTime(89 * 86_400_000);
  assert.equal(isWoken, false);
  vi.advanceTimersByTime(86_400_000);
  assert.equal(isWoken, true);
});

test('a canceled caller is not woken, and the others still are', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  const woken: string[] = [];
  const callOff = wakeAt(1_000_100, () => woken.push('first'));
  wakeAt(1_000_200, () => woken.push('second'));
  callOff();
  vi.advanceTimersByTime(300);
  assert.deepEqual(woken, ['second']);
});
