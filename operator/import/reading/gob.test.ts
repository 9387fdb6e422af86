import assert from 'node:assert/strict';
import test from 'node:test';
import { hasNonZeroField } from './gob.ts';

/** A message that defines a type with the id -65. */
const DEFINITION = [0x04, 0xff, 0x81, 0x03, 0x00];

test('a struct of zeros is told from one with a field, and from other bytes', () => {
  const read = (...bytes: number[]) => hasNonZeroField(Uint8Array.from(bytes));
  assert.equal(read(...DEFINITION, 0x03, 0xff, 0x82, 0x00), false);
  assert.equal(read(...DEFINITION, 0x05, 0xff, 0x82, 0x01, 0x01, 0x00), true);
  assert.equal(read(...DEFINITION, 0x05, 0xff, 0x82, 0x02, 0x01, 0x00), true);
  for (const bytes of [[], [0x05], [0xff], DEFINITION, [0x80, 0x01], [0x00, 0x00]])
    assert.equal(read(...bytes), undefined, bytes.join(' '));
});
