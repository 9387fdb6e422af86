import assert from 'node:assert/strict';
import test from 'node:test';
import { FairQueue } from './fair-queue.ts';

function open(options: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const queue = new FairQueue({ limit: 1, maxWaiting: 100, maxWaitingPerOwner: 100, ...options });
  const order: string[] = [];
  const add = (name: string) =>
    queue.run(name[0]!, async () => {
      order.push(name);
    });
  return { queue, order, add };
}

test('owners take turns, each in the order of its own tasks', async () => {
  const { order, add } = open();
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(add));
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('at most so many tasks run at once, also after one has failed', async () => {
  const { queue } = open({ limit: 2 });
  let running = 0;
  let most = 0;
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    throw new Error('no');
  };
  const tasks = Array.from({ length: 6 }, (_, index) => queue.run(String(index % 3), task));
  const results = await Promise.allSettled(tasks);
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(most, 2);
});

test('too many waiting tasks, of one owner or of all, are refused', async () => {
  const { add } = open({ maxWaiting: 3, maxWaitingPerOwner: 2 });
  const results = await Promise.allSettled(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(add));
  const refused = results.map((result) => result.status === 'rejected' && result.reason.code);
  assert.deepEqual(refused, [false, false, false, 'unavailable', false, 'unavailable']);
  await add('a5');
});
