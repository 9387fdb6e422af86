import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FITTED, keepInside, LARGEST_SCALE, zoomAround } from './zoom.ts';

test('what lies under the finger stays there while it is enlarged', () => {
  const finger = { x: 100, y: -40 };
  const once = zoomAround(FITTED, 2, finger);
  assert.deepEqual(once, { scale: 2, x: -100, y: 40 });
  const twice = zoomAround(once, 4, finger);
  // The same place of the picture, before and after.
  assert.equal((finger.x - twice.x) / twice.scale, finger.x);
  assert.equal((finger.y - twice.y) / twice.scale, finger.y);
});

test('a picture is neither smaller than fitted nor larger than the most', () => {
  assert.equal(zoomAround(FITTED, 0.2, FITTED).scale, 1);
  assert.equal(zoomAround(FITTED, 100, FITTED).scale, LARGEST_SCALE);
});

test('an enlarged picture cannot be pushed out of its frame', () => {
  const frame = { width: 400, height: 300 };
  const fitted = { width: 400, height: 200 };
  assert.deepEqual(keepInside({ scale: 2, x: 900, y: -900 }, fitted, frame), { scale: 2, x: 200, y: -50 });
  assert.deepEqual(keepInside({ scale: 2, x: 20, y: 10 }, fitted, frame), { scale: 2, x: 20, y: 10 });
});

test('a side that fits stays in the middle', () => {
  const frame = { width: 400, height: 300 };
  const fitted = { width: 100, height: 300 };
  assert.deepEqual(keepInside({ scale: 1.5, x: 80, y: 60 }, fitted, frame), { scale: 1.5, x: 0, y: 60 });
});
