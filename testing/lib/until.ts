import assert from 'node:assert/strict';

/** Generous because a busy machine may need seconds; only a condition that is never met takes all attempts. */
const MAX_TRIES = 6_000;
const PAUSE_MS = 10;

/** Waits for an effect of the server that happens after its response. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < MAX_TRIES, 'the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
