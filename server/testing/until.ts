import assert from 'node:assert/strict';

/** Waits for what the server notes after its answer has gone. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 500, 'it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
