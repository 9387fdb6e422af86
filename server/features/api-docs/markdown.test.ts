import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { describeApi, EXAMPLE_URL } from './document.ts';
import { toMarkdown } from './markdown.ts';

test('docs/api.md is what the contracts say; `npm run api-docs` writes it', async () => {
  const written = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8');
  assert.ok(written === toMarkdown(await describeApi(EXAMPLE_URL)), 'run npm run api-docs');
});
