import { createRequire } from 'node:module';
import { before } from 'node:test';

type AsyncHook = { enable(): void; disable(): void; [option: symbol]: unknown };

/**
 * Loaded before test files that share a process, with `--expose-internals`. The test runner's async hook follows
 * every promise to the test that created it, which makes promises about 20 times slower and takes a quarter of an HTTP
 * test's time. The hook stays, because suites need it while they declare their tests, but leaves promises alone, as
 * `createHook({ trackPromises: false })` would make it. An uncaught error still fails the run, though the
 * runner may not name the test; the gate then runs the files again, each in its own process and with the hook.
 */
function leavePromisesAlone(): void {
  const { getHookArrays } = createRequire(import.meta.url)('internal/async_hooks') as {
    getHookArrays(): [AsyncHook[], number[]];
  };
  for (const hook of [...getHookArrays()[0]]) {
    const option = Object.getOwnPropertySymbols(hook).find((name) => name.description === 'kNoPromiseHook');
    if (!option) throw new Error('This version of Node follows promises in another way.');
    hook.disable();
    hook[option] = true;
    hook.enable();
  }
}

// Declaring anything makes the runner create its hook.
before(() => {});
leavePromisesAlone();
