import assert from 'node:assert/strict';
import { parseSync } from 'vite';
import { test } from 'vitest';
import { stripMetadata } from './strip-metadata.ts';

test('descriptions and other metadata stay out of the pages, and the schemas stay', () => {
  const { transform } = stripMetadata();
  assert.ok(typeof transform === 'object');
  const handler = transform.handler as unknown as (this: object, code: string) => { code: string };
  const code = `export const A = z.object({
    a: z.int().describe('Bytes.').nullable().meta({ description: 'Or (none).' }),
    b: z.array(B.describe("It's")).max(1),
    c: C.check(z.describe('An argument in zod/mini, not a method.')),
  }).meta({ id: 'A' });`;
  const parse = (text: string) => parseSync('contract.js', text).program;
  assert.equal(
    handler.call({ parse }, code).code,
    `export const A = z.object({
    a: z.int().nullable(),
    b: z.array(B).max(1),
    c: C.check(z.describe('An argument in zod/mini, not a method.')),
  });`,
  );
});
