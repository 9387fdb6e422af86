import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { buildEncryptedPage } from './encrypted-page.ts';

test('the same sources give the same page, whose one script is named by its hash', async () => {
  const [first, second] = [await buildEncryptedPage(), await buildEncryptedPage()];
  assert.deepEqual(first, second);
  const document = String(first.find(({ fileName }) => fileName === 'encrypted.html')?.source);
  const scripts = [...document.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];
  assert.equal(scripts.length, 1);
  const [, attributes = '', content] = scripts[0]!;
  assert.equal(content, '');
  const path = /src="\/([^"]+)"/.exec(attributes)?.[1];
  const script = String(first.find(({ fileName }) => fileName === path)?.source);
  const hash = createHash('sha256').update(script).digest('base64');
  assert.ok(attributes.includes(`integrity="sha256-${hash}"`));
  for (const { fileName, source } of first)
    if (fileName.endsWith('.json')) {
      const integrity = `sha256-${createHash('sha256').update(source).digest('base64')}`;
      assert.ok(script.includes(integrity), fileName);
    }
});
