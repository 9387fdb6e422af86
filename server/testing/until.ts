import assert from 'node:assert/strict';

/** Waits for what the server records after it has answered; gives up after half a minute. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 3_000, 'it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
