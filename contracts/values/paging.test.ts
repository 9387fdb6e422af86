import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { allEndpoints } from '../all-endpoints.ts';
import { readNextCursor } from './paging.ts';

test('the cursor of the next page is read from the Link header', () => {
  const next = '</api/transfers?limit=50&cursor=a%2Bb%3D>; rel="next"';
  assert.equal(readNextCursor(next), 'a+b=');
  assert.equal(readNextCursor(`<https://sendwell.example/api/transfers?cursor=c>; rel=next`), 'c');
});

test('the last page has no next cursor', () => {
  assert.equal(readNextCursor(null), undefined);
  assert.equal(readNextCursor('</api/transfers>; rel="prev"'), undefined);
});

test('exactly the calls that accept a cursor are declared as paged', () => {
  const acceptsCursor = ({ query }: (typeof allEndpoints)[number]) =>
    query instanceof z.ZodObject && 'cursor' in query.shape;
  const paged = allEndpoints.filter((endpoint) => endpoint.paged);
  assert.deepEqual(paged, allEndpoints.filter(acceptsCursor));
  assert.ok(paged.every(({ response }) => response instanceof z.ZodArray));
});
