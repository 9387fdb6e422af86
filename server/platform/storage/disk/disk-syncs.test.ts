import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedSync } from './disk-syncs.ts';

test('syncs once for all callers that arrive during a sync', async () => {
  const syncs = new ManualSyncs();
  const shared = new SharedSync(syncs.run);
  const first = shared.join();
  const later = [shared.join(), shared.join(), shared.join()];
  assert.equal(syncs.started, 1);
  syncs.end();
  await first;
  assert.equal(syncs.started, 2);
  syncs.end();
  await Promise.all(later);
  assert.equal(syncs.started, 2);
});

test('does not let a caller join a sync that is already running', async () => {
  const syncs = new ManualSyncs();
  const shared = new SharedSync(syncs.run);
  const first = shared.join();
  let isDone = false;
  const second = shared.join().then(() => {
    isDone = true;
  });
  syncs.end();
  await first;
  assert.equal(isDone, false);
  syncs.end();
  await second;
});

test('rejects a failed sync for all callers that joined it, and for no others', async () => {
  const syncs = new ManualSyncs();
  const shared = new SharedSync(syncs.run);
  const first = shared.join();
  const second = shared.join();
  syncs.end(new Error('The disk is broken'));
  await assert.rejects(first, /broken/);
  syncs.end();
  await second;
  const third = shared.join();
  syncs.end();
  await third;
  assert.equal(syncs.started, 3);
});

class ManualSyncs {
  started = 0;
  #settle: ((error?: Error) => void) | undefined;

  run = (): Promise<void> => {
    this.started += 1;
    return new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
    });
  };

  end(error?: Error): void {
    this.#settle?.(error);
  }
}
