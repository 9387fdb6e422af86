import assert from 'node:assert/strict';
import test from 'node:test';
import { LaneControl } from './lane-control.ts';

test('opens lanes while chunks are fast, up to the maximum', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(50);
  assert.equal(control.lanes, 6);
});

test('keeps few lanes on a slow connection, where a break loses the bytes of each lane', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(4_000);
  assert.equal(control.lanes, 2);
});

test('leaves one lane on a line below 5 Mbit/s', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 3; chunk += 1) control.succeed(26_000);
  assert.equal(control.lanes, 1);
});

test('halves the lanes after a failure and never closes the last one', () => {
  const control = new LaneControl(6);
  for (let chunk = 0; chunk < 10; chunk += 1) control.succeed(50);
  control.fail();
  assert.equal(control.lanes, 3);
  for (let failure = 0; failure < 5; failure += 1) control.fail();
  assert.equal(control.lanes, 1);
});
