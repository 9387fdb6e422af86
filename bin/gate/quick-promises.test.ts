import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { QUICK_PROMISES } from './tasks.ts';

const IMPORTS = `
import assert from 'node:assert/strict';
import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import { after, before, describe, test } from 'node:test';
`;

describe('test files in one process whose promises are not followed', () => {
  test('pass with their suites and hooks', async (t) => {
    const { status, output } = await run(t, [
      `describe('outer', () => {
        let opened = 0;
        before(() => { opened += 1; });
        after(() => { assert.equal(opened, 1); });
        describe('inner', () => test('sees what its suite prepared', () => assert.equal(opened, 1)));
        test('has parts', async (t) => { await t.test('a part', () => assert.equal(opened, 1)); });
      });
      test('follows no promise', async () => {
        const ids = [];

        for (let i = 0; i < 3; i += 1) { await undefined; ids.push(executionAsyncId()); }
        assert.deepEqual(new Set(ids).size, 1);
      });`,
      `describe('in the second file', () => test('keeps its suite', () => {}));
      const storage = new AsyncLocalStorage();
      test('keeps local storage', () => storage.run(7, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        assert.equal(storage.getStore(), 7);
      }));`,
    ]);
    assert.match(output, /▶ outer\n {2}▶ inner\n {4}✔ sees what its suite prepared/);
    assert.match(output, /▶ in the second file\n {2}✔ keeps its suite/);
    assert.match(output, /pass 6\n/);
    assert.equal(status, 0);
  });

  for (const [what, code] of [
    ['a failed assertion', `test('fails', async () => { await 1; assert.fail(); });`],
    [
      'a rejection that nobody handles',
      `test('rejects', async () => { Promise.reject(new Error('lost')); });`,
    ],
    [
      'an error thrown in a timer',
      `test('throws', async () => {
        setTimeout(() => { throw new Error('lost'); }, 1);
        await new Promise((resolve) => setTimeout(resolve, 50));
      });`,
    ],
    [
      'a failed hook of a suite',
      `describe('suite', () => { before(async () => { throw new Error('no'); }); test('a', () => {}); });`,
    ],
  ] as const)
    test(`end with an error after ${what}`, async (t) => {
      const { status } = await run(t, [`test('passes', () => {});`, code]);
      assert.equal(status, 1);
    });
});

async function run(t: TestContext, sources: string[]): Promise<{ status: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-promises-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = sources.map((_, index) => join(folder, `${index}.test.mjs`));
  for (const [index, source] of sources.entries()) await writeFile(files[index]!, IMPORTS + source);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [...QUICK_PROMISES, '--test', '--test-isolation=none', '--test-reporter=spec', ...files];
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: 60_000 });
  return { status, output: stdout };
}
