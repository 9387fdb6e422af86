import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNextCursor } from './paging.ts';

test('reads the next page of a list from its link', () => {
  const next = '</api/transfers?limit=50&cursor=a%2Bb%3D>; rel="next"';
  assert.equal(readNextCursor(next), 'a+b=');
  assert.equal(readNextCursor(`<https://sendwell.example/api/transfers?cursor=c>; rel=next`), 'c');
});

test('the last page names none', () => {
  assert.equal(readNextCursor(null), undefined);
  assert.equal(readNextCursor('</api/transfers>; rel="prev"'), undefined);
});
