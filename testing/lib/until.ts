import assert from 'node:assert/strict';

/** A busy machine needs seconds; only a condition that never holds takes this many attempts. */
const MAX_TRIES = 6_000;
const PAUSE_MS = 10;

/** Waits for something that the server does after its response has ended. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < MAX_TRIES, 'it never came true');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
