import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodeSelection, encodeSelection, SELECTION_MAX } from './selection.ts';

const positions = fc.uniqueArray(fc.nat({ max: 30_000 }), { minLength: 1, maxLength: 200 });

test('encoding and decoding a selection keeps its positions in any order and with repetitions', () => {
  fc.assert(
    fc.property(positions, (chosen) => {
      const text = encodeSelection([...chosen, ...chosen.toReversed()]);
      assert.match(text, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(
        decodeSelection(text),
        chosen.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('any text that decodes is the canonical encoding of its selection', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[\w-]{0,40}$/)), (text) => {
      const decoded = decodeSelection(text);
      if (decoded !== undefined) assert.equal(encodeSelection(decoded), text);
    }),
    { numRuns: 2_000 },
  );
});

test('a selection of five thousand files fits in a URL of less than a thousand characters', () => {
  const all = Array.from({ length: 5_000 }, (_, index) => index);
  const path = `https://transfers.example.org/api/download/${'0'.repeat(26)}/selection/${encodeSelection(all)}`;
  assert.ok(path.length < 1_000, `${path.length} characters`);
  assert.deepEqual(decodeSelection(encodeSelection(all)), all);
});

test('an empty text, padding, trailing zero bytes, stray bits and overlong texts are no selection', () => {
  assert.equal(encodeSelection([]), '');
  assert.equal(encodeSelection([0]), 'AQ');
  for (const text of ['', 'AQ==', 'AQA', 'AR', 'A', 'AA', 'A/', 'ä', ' AQ', 'AQ\n', '../AQ'])
    assert.equal(decodeSelection(text), undefined, JSON.stringify(text));
  assert.equal(decodeSelection(`${'A'.repeat(SELECTION_MAX)}AQ`), undefined);
});
