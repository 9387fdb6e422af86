import assert from 'node:assert/strict';
import { test } from 'vitest';
import { clampToFrame, FITTED, MAX_SCALE, zoomAround } from './zoom.ts';

test('zooming keeps the point under the finger in place', () => {
  const finger = { x: 100, y: -40 };
  const once = zoomAround(FITTED, 2, finger);
  assert.deepEqual(once, { scale: 2, x: -100, y: 40 });
  const twice = zoomAround(once, 4, finger);
  assert.equal((finger.x - twice.x) / twice.scale, finger.x);
  assert.equal((finger.y - twice.y) / twice.scale, finger.y);
});

test('the scale stays between fitted and the maximum', () => {
  assert.equal(zoomAround(FITTED, 0.2, FITTED).scale, 1);
  assert.equal(zoomAround(FITTED, 100, FITTED).scale, MAX_SCALE);
});

test('a zoomed picture cannot be dragged out of its frame', () => {
  const frame = { width: 400, height: 300 };
  const fitted = { width: 400, height: 200 };
  assert.deepEqual(clampToFrame({ scale: 2, x: 900, y: -900 }, fitted, frame), { scale: 2, x: 200, y: -50 });
  assert.deepEqual(clampToFrame({ scale: 2, x: 20, y: 10 }, fitted, frame), { scale: 2, x: 20, y: 10 });
});

test('a side smaller than the frame stays centered', () => {
  const frame = { width: 400, height: 300 };
  const fitted = { width: 100, height: 300 };
  assert.deepEqual(clampToFrame({ scale: 1.5, x: 80, y: 60 }, fitted, frame), { scale: 1.5, x: 0, y: 60 });
});
