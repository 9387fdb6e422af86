import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, NetworkError } from '../../client/api-error.ts';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { describeError, exitCodeOf } from './errors.ts';

test('each kind of refusal has its exit code', () => {
  const codes = [400, 401, 402, 403, 404, 410, 413, 423, 429].map((status) =>
    exitCodeOf(new ApiError(status, 'No.')),
  );
  assert.deepEqual(codes, [1, 6, 4, 6, 1, 4, 4, 4, 4]);
  assert.equal(exitCodeOf(new NetworkError()), EXIT.interrupted);
  assert.equal(exitCodeOf(new CommandError(EXIT.usage, 'How?')), EXIT.usage);
  assert.equal(exitCodeOf(new Error('a mistake')), EXIT.failed);
});

test("a refusal is described by the server's sentence and one line per field", () => {
  const errors = { title: 'Too long.' };
  const error = new ApiError(400, 'Not valid.', { code: 'invalid_input', errors });
  assert.equal(describeError(error), 'Not valid.\ntitle: Too long.');
});
