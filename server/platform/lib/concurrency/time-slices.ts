import { setImmediate } from 'node:timers/promises';

/** Nothing may block the event loop for 50 ms. */
const SLICE_MS = 8;

export async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
