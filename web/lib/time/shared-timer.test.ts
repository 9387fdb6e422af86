import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { wakeAt } from './shared-timer.ts';

test('one timer wakes a thousand, each at its own instant', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const woken: number[] = [];
  for (let each = 0; each < 1_000; each += 1) wakeAt(1_000_000 + each, () => woken.push(each));
  t.mock.timers.tick(499);
  assert.equal(woken.length, 500);
  t.mock.timers.tick(500);
  assert.equal(woken.length, 1_000);
  t.mock.timers.tick(10_000);
  assert.equal(woken.length, 1_000);
});

test('an instant in three months is waited for', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const instant = 1_000_000 + 90 * DAY_MS;
  let isWoken = false;
  wakeAt(instant, () => {
    isWoken = true;
  });
  t.mock.timers.tick(89 * DAY_MS);
  assert.equal(isWoken, false);
  t.mock.timers.tick(DAY_MS);
  assert.equal(isWoken, true);
});

test('whoever called off is not woken, and does not take the others along', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const woken: string[] = [];
  const callOff = wakeAt(1_000_100, () => woken.push('first'));
  wakeAt(1_000_200, () => woken.push('second'));
  callOff();
  t.mock.timers.tick(300);
  assert.deepEqual(woken, ['second']);
});
