import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import { CommandError, EXIT, exitCodeOf } from '../exits.ts';
import { judgeFailure, Patience, waitBefore } from './patience.ts';

test('networks and busy servers are waited for, refusals are not', () => {
  const verdicts = [
    [new NetworkError('cut'), 'wait'],
    [new ApiError(503, 'No.', {}), 'wait'],
    [new ApiError(507, 'No.', {}), 'wait'],
    [new ApiError(429, 'No.', {}, 30), 'wait'],
    [new ApiError(429, 'No.', {}, 86_400), 'never'],
    [new ApiError(400, 'No.', { code: 'digest_mismatch' }), 'again'],
    [new ApiError(401, 'No.', {}), 'never'],
    [new ApiError(413, 'No.', {}), 'never'],
    [new Error('a mistake'), 'never'],
  ] as const;
  for (const [error, verdict] of verdicts) assert.equal(judgeFailure(error), verdict, error.message);
});

test('waits double up to half a minute, are spread, and honour Retry-After', () => {
  assert.deepEqual(
    [waitBefore(1, 0), waitBefore(1, 1), waitBefore(3, 1), waitBefore(50, 1)],
    [250, 500, 2_000, 30_000],
  );
  assert.equal(waitBefore(1, 0, 7), 7_000);
});

test('a network that stays away is given up after the time that was set, and never without one', async () => {
  const told: (string | undefined)[] = [];
  const patience = new Patience({
    giveUpAfterSeconds: 0,
    onTrouble: (trouble) => told.push(trouble?.message),
  });
  const failing = patience.insist(() => Promise.reject(new NetworkError('No line')));
  await assert.rejects(
    failing,
    (error) => error instanceof CommandError && error.exitCode === EXIT.interrupted,
  );
  assert.deepEqual(told, []);
});

test('what works again is told, and what was stopped ends with the reason', async () => {
  const told: (string | undefined)[] = [];
  const patience = new Patience({ onTrouble: (trouble) => told.push(trouble?.message) });
  let tries = 0;
  const answer = await patience.insist(async () => {
    tries += 1;
    if (tries === 1) throw new NetworkError('No line');
    return tries;
  });
  assert.deepEqual([answer, told], [2, ['No line', undefined]]);
  const stop = new AbortController();
  const waiting = patience.insist(() => Promise.reject(new NetworkError('No line')), stop.signal);
  setImmediate(() => stop.abort(new Error('stopped')));
  await assert.rejects(waiting, /stopped/);
});

test('each kind of refusal has its exit code', () => {
  const codes = [400, 401, 402, 403, 404, 410, 413, 423, 429].map((status) =>
    exitCodeOf(new ApiError(status, 'No.')),
  );
  assert.deepEqual(codes, [1, 3, 4, 3, 1, 4, 4, 4, 4]);
});
