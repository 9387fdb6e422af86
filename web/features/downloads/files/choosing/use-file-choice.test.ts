import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { TransferFile } from '../../../../../contracts/transfers/transfers.ts';
import { fileNamed } from '../../../../testing/file-named.ts';
import { choose, filesBetween, stateOfChoice, sumSizes } from './use-file-choice.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((name) => fileNamed(name)) as [
  TransferFile,
  TransferFile,
  TransferFile,
  TransferFile,
];
const NOBODY = new Set<string>();

test('a box over several files knows three states', () => {
  assert.equal(stateOfChoice([A, B], NOBODY), 'none');
  assert.equal(stateOfChoice([A, B], new Set(['b'])), 'some');
  assert.equal(stateOfChoice([A, B], new Set(['a', 'b', 'c'])), 'all');
  assert.equal(stateOfChoice([], new Set(['a'])), 'none');
});

test('choosing leaves the other files as they are', () => {
  assert.deepEqual([...choose(new Set(['c']), [A, B], true)].toSorted(), ['a', 'b', 'c']);
  assert.deepEqual([...choose(new Set(['a', 'c']), [A, B], false)], ['c']);
});

test('a range has both its ends, in either direction', () => {
  assert.deepEqual(filesBetween([A, B, C, D], 'b', D), [B, C, D]);
  assert.deepEqual(filesBetween([A, B, C, D], 'd', B), [B, C, D]);
});

test('a range whose beginning is filtered away is its end alone', () => {
  assert.deepEqual(filesBetween([C, D], 'a', D), [D]);
  assert.deepEqual(filesBetween([C, D], undefined, D), [D]);
});

test('adds sizes up', () => assert.equal(sumSizes([A, B]), 2));
