import assert from 'node:assert/strict';
import { parseSync } from 'vite';
import { test } from 'vitest';
import { splitContracts } from './split-contracts.ts';

const CONTRACT = `
import { z } from 'zod';
import { Email, lineUpTo } from '../fields.ts';
const MAX = 3;
export const KINDS = ['a', 'b'];
export const Kind = z.enum(KINDS);
const Name = lineUpTo(MAX);
export const Input = Kind.or(Email);
export function isKind(text) { return KINDS.includes(text); }
export function parse(value) { return Input.parse(value); }
export const read = defineEndpoint({ method: 'GET', path: '/read', query: Input, response: 'empty' });
`;

function split(): { schemas: string; plain: string } {
  const plugin = splitContracts();
  assert.ok(typeof plugin.transform === 'object' && typeof plugin.load === 'function');
  const transform = plugin.transform.handler as unknown as (
    this: object,
    code: string,
    id: string,
  ) => { code: string };
  const parse = (text: string) => parseSync('contract.js', text).program;
  const { code } = transform.call({ parse }, CONTRACT, '/contracts/kinds.ts');
  const load = plugin.load as unknown as (id: string) => { code: string };
  return { schemas: code, plain: load('/contracts/kinds.ts?plain').code };
}

test('what needs no schema is loaded without them', () => {
  const { plain } = split();
  for (const part of ['export const MAX', 'export const KINDS', 'function isKind', "path: '/read'"])
    assert.ok(plain.includes(part), part);
  for (const part of ['z.enum', 'lineUpTo(', 'Input.parse', 'query:', 'Kind.or'])
    assert.ok(!plain.includes(part), part);
});

test('the contract still exports everything, and its schemas find the constants they use', () => {
  const { schemas } = split();
  assert.match(schemas, /export \* from "\/contracts\/kinds\.ts\?plain"/);
  assert.match(schemas, /import \{ MAX, KINDS \} from "\/contracts\/kinds\.ts\?plain"/);
  for (const part of ['export const Kind =', 'const Name =', 'export const Input =', 'export function parse'])
    assert.ok(schemas.includes(part), part);
  assert.ok(!schemas.includes('isKind'));
});
