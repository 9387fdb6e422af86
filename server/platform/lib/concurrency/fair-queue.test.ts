import assert from 'node:assert/strict';
import test from 'node:test';
import { FairQueue } from './fair-queue.ts';

const LIMITS = { maxWaiting: 100, maxWaitingPerTag: 50 };
const makeQueue = (limits = LIMITS) =>
  new FairQueue({ places: 2, lanes: { first: { places: 2 }, second: { places: 1 } }, ...limits });

function makeTasks(queue = makeQueue()) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const add = (name: string, lane: 'first' | 'second', tags: string[] = [name]) =>
    queue.run({ lane, tags }, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endNext = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { started, add, endNext };
}

test('tags take turns: one with many tasks waiting delays only its own', async () => {
  const { started, add, endNext } = makeTasks();
  for (const name of ['a', 'a', 'a', 'b', 'a', 'c']) void add(name, 'second');
  for (let index = 0; index < 6; index += 1) await endNext();
  assert.deepEqual(started, ['a', 'a', 'b', 'c', 'a', 'a']);
});

test('a task waits for the slowest of its tags: many addresses do not give an account more turns', async () => {
  const { started, add, endNext } = makeTasks();
  void add('running', 'second');
  for (const address of ['x', 'y', 'z']) void add(`guess from ${address}`, 'second', [address, 'frida']);
  void add('paula', 'second', ['x', 'paula']);
  void add('other', 'second');
  for (let index = 0; index < 6; index += 1) await endNext();
  assert.deepEqual(started, ['running', 'guess from x', 'other', 'guess from y', 'paula', 'guess from z']);
});

test('newcomers do not overtake waiting callers', async () => {
  const { started, add, endNext } = makeTasks();
  for (const name of ['a', 'a', 'a']) void add(name, 'second');
  for (let index = 0; index < 5; index += 1) {
    void add(`newcomer ${index}`, 'second');
    await endNext();
  }
  assert.deepEqual(started, ['a', 'a', 'newcomer 0', 'newcomer 1', 'a']);
});

test('a lane leaves the reserved slot to the other one', async () => {
  const { started, add } = makeTasks();
  for (let index = 0; index < 5; index += 1) void add(`bulk ${index}`, 'second');
  void add('sign-in', 'first');
  await new Promise(setImmediate);
  assert.deepEqual(started, ['bulk 0', 'sign-in']);
});

test('a full lane or tag refuses immediately, and the other lane continues', async () => {
  const { add } = makeTasks(makeQueue({ maxWaiting: 3, maxWaitingPerTag: 2 }));
  const isRefused = { code: 'unavailable', retryAfterSeconds: 2 } as const;
  for (const name of ['a', 'a', 'a']) void add(name, 'second');
  await assert.rejects(add('a', 'second'), isRefused);
  void add('b', 'second');
  await assert.rejects(add('c', 'second'), isRefused);
  void add('c', 'first');
});

test('a failed task releases its slot', async () => {
  const queue = makeQueue();
  const failing = () => Promise.reject(new Error('no'));
  for (let index = 0; index < 3; index += 1)
    await assert.rejects(queue.run({ lane: 'first', tags: [] }, failing), { message: 'no' });
  assert.equal(await queue.run({ lane: 'first', tags: [] }, async () => 'yes'), 'yes');
});
