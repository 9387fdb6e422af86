import assert from 'node:assert/strict';
import test from 'node:test';
import { createSentenceReader } from './sentences.ts';

const read = createSentenceReader([
  'Please use at most {0} characters.',
  'Please use at most {limit}.',
  '{name} exceeds the {size} limit',
  'Too many attempts (1+1). Please wait {wait} and try again.',
  'Name is required',
  '{count, plural, one {# file} other {# files}}',
]);

test('a finished sentence is read back into its message and values', () => {
  assert.deepEqual(read('Name is required'), { message: 'Name is required', values: {} });
  assert.deepEqual(read('Please use at most 50 characters.'), {
    message: 'Please use at most {0} characters.',
    values: { 0: '50' },
  });
  assert.deepEqual(read('Please use at most 50.'), {
    message: 'Please use at most {limit}.',
    values: { limit: '50' },
  });
  assert.deepEqual(read('a\nb.txt exceeds the 5 GB limit')?.values, { name: 'a\nb.txt', size: '5 GB' });
  assert.deepEqual(read('Too many attempts (1+1). Please wait 5 minutes and try again.')?.values, {
    wait: '5 minutes',
  });
});

test('other sentences have no message', () => {
  for (const sentence of [
    '',
    'name is required',
    '2 files',
    'Name is required!',
    `${'x'.repeat(2_000)} exceeds the 1 limit`,
  ])
    assert.equal(read(sentence), undefined, sentence);
});
