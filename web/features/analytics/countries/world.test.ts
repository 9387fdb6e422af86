import assert from 'node:assert/strict';
import { test } from 'vitest';
import { WORLD } from './world.ts';
import { WORLD_HEIGHT, WORLD_WIDTH } from './world-geometry.ts';

test('every country has its place on the map', () => {
  assert.ok(WORLD.size > 245);
  for (const { code, x, y } of WORLD.values()) {
    assert.match(code, /^[A-Z]{2}$/);
    assert.ok(x >= 0 && x <= WORLD_WIDTH && y >= 0 && y <= WORLD_HEIGHT, code);
  }
});

test('large countries have an outline, small ones are dots', () => {
  for (const code of ['DE', 'US', 'XK', 'GF', 'TW'])
    assert.match(WORLD.get(code)?.outline ?? '', /^M\d/, code);
  for (const code of ['SG', 'MT', 'RE', 'GI', 'TV']) {
    assert.ok(WORLD.has(code), code);
    assert.equal(WORLD.get(code)?.outline, undefined, code);
  }
});

test('neighbors are where they should be', () => {
  const [portugal, japan, brazil, norway] = ['PT', 'JP', 'BR', 'NO'].map((code) => WORLD.get(code)!);
  assert.ok(brazil!.x < portugal!.x && portugal!.x < japan!.x);
  assert.ok(norway!.y < portugal!.y && portugal!.y < brazil!.y);
});
