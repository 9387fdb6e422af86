import assert from 'node:assert/strict';
import { test } from 'vitest';
import { placeBeside } from './place-beside.ts';

const room = { width: 400, height: 300 };
const size = { width: 80, height: 20 };

test('is centered on the given side', () => {
  const box = { left: 180, top: 140, width: 40, height: 40 };
  assert.deepEqual(placeBeside(box, { side: 'top', size, room }), { left: 160, top: 112 });
  assert.deepEqual(placeBeside(box, { side: 'bottom', size, room }), { left: 160, top: 188 });
  assert.deepEqual(placeBeside(box, { side: 'left', size, room }), { left: 92, top: 150 });
  assert.deepEqual(placeBeside(box, { side: 'right', size, room }), { left: 228, top: 150 });
});

test('moves to the opposite side without room, and stays inside the window', () => {
  const corner = { left: 2, top: 2, width: 40, height: 40 };
  assert.deepEqual(placeBeside(corner, { side: 'top', size, room }), { left: 8, top: 50 });
  const right = { left: 380, top: 100, width: 20, height: 20 };
  assert.deepEqual(placeBeside(right, { side: 'right', size, room }), { left: 292, top: 100 });
});
