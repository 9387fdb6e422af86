import assert from 'node:assert/strict';
import { test } from 'vitest';
import { MIB } from '../../../contracts/values/sizes.ts';
import { type Abilities, chooseRung } from './ladder.ts';

const NOTHING: Abilities = { canPickFolder: false, canPickFile: false, stagingBytes: 0, canStream: false };
const ALL: Abilities = { canPickFolder: true, canPickFile: true, stagingBytes: 1024 * MIB, canStream: true };

test('the best way that the browser has is chosen', () => {
  assert.equal(chooseRung('folder', MIB, ALL), 'folder');
  assert.equal(chooseRung('zip', MIB, ALL), 'staged');
  assert.equal(chooseRung('zip', 1020 * MIB, ALL), 'file');
  assert.equal(chooseRung('zip', 1020 * MIB, { ...ALL, canPickFile: false }), 'stream');
  assert.equal(chooseRung('file', 256 * MIB, NOTHING), 'memory');
  assert.equal(chooseRung('file', 257 * MIB, NOTHING), 'none');
});

test('what is staged already needs no more room', () => {
  const little = { ...NOTHING, stagingBytes: 100 * MIB };
  assert.equal(chooseRung('zip', 500 * MIB, little, 450 * MIB), 'staged');
});
