import { setImmediate } from 'node:timers/promises';

/** Well below 50 ms, the longest that anything may block the event loop. */
const SLICE_MS = 8;

/** Runs a generator to its end and returns its result; lets the event loop run every few milliseconds. */
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
