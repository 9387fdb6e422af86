import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { meterChildren, readChildrenSeconds, watchProcessors } from './processor-time.ts';
import { formatTimes } from './time-table.ts';

test('the table adds up the shards and retries of a part, and begins with the most expensive part', () => {
  const table = formatTimes([
    { name: 'types of the pages', tests: 1, seconds: 9.6, cpuSeconds: 12 },
    { name: 'journeys 1/4', tests: 28, seconds: 100, cpuSeconds: 80.2 },
    { name: 'journeys 2/4', tests: 27, seconds: 90, cpuSeconds: 70 },
    { name: 'journeys 2/4, once more', tests: 1, seconds: 10, cpuSeconds: 8 },
  ]);
  assert.equal(
    table,
    `part                tests   time    CPU
journeys               56  200 s  158 s
types of the pages      1   10 s   12 s`,
  );
});

test('the meter attributes processor time to the child that ended last', () => {
  const readings = [10, 10.5, 13];
  const take = meterChildren(() => readings.shift());
  assert.equal(take(), 0.5);
  assert.equal(take(), 2.5);
});

test('a child and its own child are counted when they have ended', {
  skip: readChildrenSeconds() === undefined && 'only Linux reports it',
}, () => {
  const take = meterChildren();
  const busy = watchProcessors();
  const program = 'while (process.cpuUsage().user < 50_000);';
  spawnSync('sh', ['-c', '"$0" -e "$1"; true', process.execPath, program]);
  assert.ok(take() > 0);
  assert.ok(busy() > 0);
});
