import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import { defineJob, findRetryDelay } from './define-job.ts';

const { retry } = defineJob({ name: 'any', payload: z.object({}), run: async () => {} });

test('waits 5 s after the first failure, then twice as long each time, at most 10 minutes', () => {
  const delays = [1, 2, 3, 7, 8, 9, 50].map((failures) => findRetryDelay(retry, failures));
  assert.deepEqual(delays, [5_000, 10_000, 20_000, 320_000, 600_000, 600_000, 600_000]);
});

test('gives up when the delays add up to 48 hours', () => {
  let waited = 0;
  let failures = 1;
  for (let delay = findRetryDelay(retry, failures); delay; delay = findRetryDelay(retry, failures)) {
    waited += delay;
    failures += 1;
  }
  assert.ok(waited <= 48 * HOUR_MS && waited > 48 * HOUR_MS - 10 * MINUTE_MS, `waited ${waited} ms`);
});
