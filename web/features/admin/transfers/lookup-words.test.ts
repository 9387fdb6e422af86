import assert from 'node:assert/strict';
import { test } from 'vitest';
import { findEnd } from './lookup-words.ts';

const at = '2026-01-01T00:00:00.000Z';

test('the reason is the event that ended it, not one before or after', () => {
  const history = [
    { cause: 'data-removed', at },
    { cause: 'deleted-by-owner', at },
    { cause: 'expired', at },
  ] as const;
  assert.equal(findEnd({ history: [...history] })?.cause, 'deleted-by-owner');
  assert.equal(findEnd({ history: [history[0]] })?.cause, 'data-removed');
  assert.equal(findEnd({ history: [] }), undefined);
});
