import assert from 'node:assert/strict';
import test from 'node:test';
import { LaneControl } from './lane-control.ts';

test('opens lanes while chunks go quickly, up to the most allowed', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(50);
  assert.equal(control.lanes, 6);
});

test('keeps to few lanes on a slow line, where each holds bytes that a break would lose', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(4_000);
  assert.equal(control.lanes, 2);
});

test('halves after a failure, and never closes the last lane', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(50);
  control.fail();
  assert.equal(control.lanes, 3);
  for (let failure = 0; failure < 5; failure += 1) control.fail();
  assert.equal(control.lanes, 1);
});
