import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../../command-line/exit-codes.ts';
import { parseCommandLine } from '../../command-line/program.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { toIso } from '../../server/platform/lib/clock.ts';
import { backup } from './backup-command.ts';
import { chooseRemovals, readRetention } from './retention.ts';

const NOW = Date.UTC(2026, 10, 22, 3);
const PROGRAM = { name: '', description: '', commands: [backup], commonOptions: [], exitCodes: [] };
const NONE = { keep: 0, daily: 0, weekly: 0, monthly: 0 };

type Candidates = Parameters<typeof chooseRemovals>[0];

/** Creates generations named by their age in days, in order of creation. */
function makeGenerations(ages: number[], good: number[] = []): Candidates {
  return ages.map((age) => ({
    name: String(age),
    startedAt: toIso(NOW - age * DAY_MS),
    files: null,
    isGood: good.includes(age),
  }));
}

const nightly = makeGenerations(Array.from({ length: 120 }, (_, index) => 119 - index));

function keptOf(generations: Candidates, rules: Partial<typeof NONE>, now = NOW): string[] {
  const { removed } = chooseRemovals(generations, { ...NONE, ...rules }, now);
  return generations.map(({ name }) => name).filter((name) => !removed.includes(name));
}

test('each rule keeps the newest generation of its periods, and rules are combined', () => {
  assert.deepEqual(keptOf(nightly, { keep: 3 }), ['2', '1', '0']);
  assert.deepEqual(keptOf(nightly, { daily: 2, weekly: 3 }), ['14', '7', '1', '0']);
  // 2026-11-22 is a Sunday. The others are the last days of October, September and August.
  assert.deepEqual(keptOf(nightly, { monthly: 4 }), ['83', '53', '22', '0']);
});

test('several generations of one day count as one day', () => {
  const often = makeGenerations([1.1, 1.05, 0.1, 0.05, 0]);
  assert.deepEqual(keptOf(often, { daily: 2 }), ['1.05', '0']);
});

test('the newest and the newest verified generation are kept under any rule', () => {
  assert.deepEqual(keptOf(makeGenerations([5, 4, 3, 2, 1], [5, 4]), { keep: 1 }), ['4', '1']);
  assert.deepEqual(keptOf(makeGenerations([1]), NONE), ['1']);
});

test('time rules remove nothing if the clock has jumped in either direction', () => {
  const all = nightly.map(({ name }) => name);
  const jumped = [...nightly.slice(0, -1), { ...nightly.at(-1)!, startedAt: toIso(NOW + 400 * DAY_MS) }];
  assert.deepEqual(keptOf(jumped, { daily: 1 }, NOW + 400 * DAY_MS), all);
  assert.deepEqual(keptOf(nightly, { daily: 1 }, NOW - 3 * DAY_MS), all);
  assert.equal(keptOf(nightly, { keep: 1 }, NOW - 3 * DAY_MS).length, 1);
});

test('seven generations are kept by default, and invalid numbers are refused', () => {
  assert.deepEqual(readRetention({}), { ...NONE, keep: 7 });
  assert.deepEqual(readRetention({ keepWeekly: 4 }), { ...NONE, weekly: 4 });
  assert.throws(() => readRetention({ keep: 0 }), CommandError);
  for (const keep of ['-1', 'x', '1.5'])
    assert.throws(() => parseCommandLine(PROGRAM, ['backup', 'folder', '--keep', keep]), CommandError, keep);
});
