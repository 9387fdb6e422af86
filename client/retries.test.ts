import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, NetworkError } from './api-error.ts';
import { type Failure, judgeFailure, Retries, UnreadableFileError, waitBefore } from './retries.ts';

const POLICY = { longestWaitMs: 30_000, longestLimitSeconds: 900, canSignIn: false };

/** `reports` are the failures and successes that were reported, in order. */
function createRetries({
  policy = POLICY,
  giveUpAfterSeconds,
}: {
  policy?: typeof POLICY;
  giveUpAfterSeconds?: number;
}) {
  const reports: (Failure | undefined)[] = [];
  const retries = new Retries({
    policy,
    onFailure: (failure) => reports.push(failure),
    giveUp:
      giveUpAfterSeconds === undefined
        ? undefined
        : { afterSeconds: giveUpAfterSeconds, toError: () => new Error('given up') },
  });
  return { retries, reports };
}

test('network errors and busy servers are retried, refusals are not', () => {
  const verdicts = [
    [new NetworkError('cut'), 'wait'],
    [new ApiError(503, 'Busy.'), 'wait'],
    [new ApiError(507, 'Full.'), 'wait'],
    [new ApiError(409, 'Running.', { code: 'idempotency_key_running' }), 'wait'],
    [new ApiError(429, 'Slowly.', {}, 30), 'wait'],
    [new ApiError(429, 'Tomorrow.', {}, 86_400), 'fatal'],
    [new ApiError(400, 'Damaged.', { code: 'digest_mismatch' }), 'again'],
    [new ApiError(401, 'Who?'), 'fatal'],
    [new ApiError(413, 'Too much.'), 'fatal'],
    [new UnreadableFileError(), 'file'],
    [new Error('a mistake'), 'fatal'],
  ] as const;
  for (const [error, verdict] of verdicts) assert.equal(judgeFailure(error, POLICY), verdict, error.message);
  assert.equal(judgeFailure(new ApiError(401, 'Who?'), { ...POLICY, canSignIn: true }), 'sign-in');
});

test('delays double up to a maximum, have jitter, and respect Retry-After', () => {
  const wait = (failedTries: number, random: number, retryAfterSeconds?: number) =>
    waitBefore({ failedTries, random, longestWaitMs: 30_000, retryAfterSeconds });
  assert.deepEqual([wait(1, 0), wait(1, 1), wait(3, 1), wait(50, 1)], [250, 500, 2_000, 30_000]);
  assert.equal(wait(1, 0, 7), 7_000);
});

test('a network that stays down makes the call fail after the configured time', async () => {
  const { retries, reports } = createRetries({ giveUpAfterSeconds: 0 });
  await assert.rejects(
    retries.run(() => Promise.reject(new NetworkError())),
    /given up/,
  );
  assert.deepEqual(reports, []);
});

test('the first success after a failure is reported', async () => {
  const { retries, reports } = createRetries({});
  let tries = 0;
  const answer = retries.run(async () => {
    tries += 1;
    if (tries === 1) throw new NetworkError('No line');
    return tries;
  });
  setImmediate(() => retries.wake());
  assert.equal(await answer, 2);
  const [failure, success] = reports;
  const error = failure?.error as Error;
  assert.deepEqual(
    [failure?.kind, error.message, failure?.failedTries, failure?.nextTryInSeconds],
    ['network', 'No line', 1, 1],
  );
  assert.deepEqual([success, reports.length], [undefined, 2]);
});

test('an abort ends the pause with its reason and lets other calls retry immediately', async () => {
  const { retries } = createRetries({});
  const stop = new AbortController();
  const stopped = retries.run(() => Promise.reject(new NetworkError()), stop.signal);
  let tries = 0;
  const other = retries.run(async () => {
    tries += 1;
    if (tries === 1) throw new NetworkError();
    return tries;
  });
  setImmediate(() => stop.abort(new Error('stopped')));
  await assert.rejects(stopped, /stopped/);
  assert.equal(await other, 2);
});

test('if sign-in is possible, a missing session is waited for without a time limit', async () => {
  const { retries, reports } = createRetries({ policy: { ...POLICY, canSignIn: true } });
  let isSignedIn = false;
  const answer = retries.run(async () => {
    if (!isSignedIn) throw new ApiError(401, 'Please sign in first.');
    return 'done';
  });
  await new Promise(setImmediate);
  assert.deepEqual([reports[0]?.kind, reports[0]?.nextTryInSeconds], ['sign-in', undefined]);
  isSignedIn = true;
  retries.wake();
  assert.equal(await answer, 'done');
});
