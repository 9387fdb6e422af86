import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { validate } from '@scalar/openapi-parser';
import { namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { keyScopeOf } from '../../../contracts/endpoint.ts';
import { ERRORS } from '../../../contracts/errors.ts';
import { describeApi, EXAMPLE_URL, type Operation } from './document.ts';
import { exampleOf } from './examples.ts';
import { toMarkdown } from './markdown.ts';
import { STREAMS } from './media-types.ts';
import { toTemplate } from './operations.ts';

const PUBLIC_URL = 'https://files.example.org';
const document = await describeApi(PUBLIC_URL);
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

test('the document is valid OpenAPI 3.1, and every path declares the parameters in its template', async () => {
  const { valid, errors, version } = await validate(structuredClone(document));
  assert.deepEqual([valid, errors, version], [true, [], '3.1']);
});

test('every reference resolves, and every shared component is used', () => {
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  const found = new Set([...references].map(([, pointer]) => pointer!));
  for (const pointer of found) {
    const target = pointer
      .split('/')
      .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document);
    assert.ok(target, pointer);
  }
  for (const name of Object.keys(document.components.schemas))
    assert.ok(found.has(`components/schemas/${name}`), name);
});

test('every call appears once, and its operationId is the export name of its contract', () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(ids.sort(), namedEndpoints.map(({ name }) => name).sort());
  assert.equal(new Set(ids).size, ids.length);
});

test('the document declares the same access rules as the contracts', () => {
  for (const { name, endpoint } of namedEndpoints) {
    const scope = keyScopeOf(endpoint);
    const { security } = operationOf(name);
    const byKey = security.find((way) => 'apiKey' in way);
    if (endpoint.access === 'public') assert.deepEqual(security, [], name);
    else assert.deepEqual(byKey, scope === 'none' ? undefined : { apiKey: [scope] }, name);
  }
});

test('raw request and response bodies are described', () => {
  const raw = namedEndpoints.filter(({ endpoint }) => endpoint.body === 'stream');
  assert.deepEqual(
    raw.filter(({ name }) => !STREAMS[name]?.takes).map(({ name }) => name),
    [],
  );
  const given = namedEndpoints.filter(({ endpoint }) => endpoint.response === 'stream');
  assert.deepEqual(
    given.filter(({ name }) => !STREAMS[name]?.gives).map(({ name }) => name),
    [],
  );
});

test('every call with a JSON body has a valid example', () => {
  for (const { name, endpoint } of namedEndpoints) {
    if (endpoint.body === undefined || endpoint.body === 'stream') continue;
    const example = exampleOf(name);
    assert.ok(example, `${name} needs an example in examples.ts`);
    assert.equal(endpoint.body.safeParse(example).error?.message, undefined, name);
  }
});

test('every error code is documented with its message', () => {
  const shared = JSON.stringify(document.components.responses);
  for (const [code, { message }] of Object.entries(ERRORS))
    assert.ok(shared.includes(JSON.stringify(`\`${code}\`: ${message}`).slice(1, -1)), code);
});

test('the document contains no internal references and no bounds of JavaScript’s number type', () => {
  const text = JSON.stringify(document);
  assert.doesNotMatch(text, /specification section|decisions \(|9007199254740991/i);
  assert.ok(!text.includes('sendwell.example'));
});

test('the samples of a call contain its address and, if it accepts an API key, the key', () => {
  for (const { name, endpoint } of namedEndpoints) {
    const [curl] = operationOf(name)['x-codeSamples'];
    assert.ok(curl!.source.includes(`${PUBLIC_URL}${endpoint.path.split(':')[0]}`), name);
    const takesKey = endpoint.access !== 'public' && keyScopeOf(endpoint) !== 'none';
    assert.equal(curl!.source.includes('Bearer $SENDWELL_KEY'), takesKey, name);
  }
});

function operationOf(name: string): Operation {
  const { endpoint } = namedEndpoints.find((call) => call.name === name)!;
  return document.paths[toTemplate(endpoint.path)]![endpoint.method.toLowerCase()]!;
}

test('docs/api.md matches the contracts; `npm run api-docs` writes it', async () => {
  const written = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8');
  assert.ok(written === toMarkdown(await describeApi(EXAMPLE_URL)), 'run npm run api-docs');
});
