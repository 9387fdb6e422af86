/** Leaves half of a 16 ms frame for rendering. */
const SLICE_MS = 8;

/** Runs a generator in slices of a few milliseconds and returns its result. Rejects on abort. */
export async function runInSlices<Result>(
  steps: Generator<void, Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    const since = performance.now();
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() - since < SLICE_MS);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
}

export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes one or two milliseconds. */
const ITEMS_PER_STEP = 1_000;

/** Sorts like `toSorted`, in steps: sorts short runs, then merges them in pairs. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<void, Item[]> {
  let sorted = [...items];
  for (let start = 0; start < sorted.length; start += ITEMS_PER_STEP) {
    const run = sorted.slice(start, start + ITEMS_PER_STEP).sort(compare);
    for (const [index, item] of run.entries()) sorted[start + index] = item;
    yield;
  }
  for (let width = ITEMS_PER_STEP; width < sorted.length; width *= 2) {
    const merged: Item[] = [];
    for (let start = 0; start < sorted.length; start += 2 * width) {
      const middle = Math.min(start + width, sorted.length);
      const end = Math.min(start + 2 * width, sorted.length);
      let [left, right] = [start, middle];
      while (left < middle || right < end) {
        const takesLeft = right >= end || (left < middle && compare(sorted[left]!, sorted[right]!) <= 0);
        merged.push(sorted[takesLeft ? left++ : right++]!);
        if (merged.length % ITEMS_PER_STEP === 0) yield;
      }
    }
    sorted = merged;
  }
  return sorted;
}
