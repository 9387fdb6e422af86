import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../client/api-error.ts';
import { findFieldErrors } from './field-errors.ts';

const FIELDS = ['name', 'username', 'email', 'currentPassword'] as const;

test('a taken username or address is shown at its field', () => {
  const taken = (code: 'username_taken' | 'email_taken') =>
    findFieldErrors(new ApiError(409, 'This is taken.', { code }), FIELDS);
  assert.deepEqual(taken('username_taken'), [{ field: 'username', message: 'This is taken.' }]);
  assert.deepEqual(taken('email_taken'), [{ field: 'email', message: 'This is taken.' }]);
});

test('a wrong current password is shown where it was typed', () => {
  const error = new ApiError(400, 'Not right.', { code: 'wrong_current_password' });
  assert.deepEqual(findFieldErrors(error, FIELDS), [{ field: 'currentPassword', message: 'Not right.' }]);
});

test('shows what the server says about fields of the form, in their order', () => {
  const errors = { email: 'Not an address', tier: 'Not yours', name: 'Too long' };
  const found = findFieldErrors(new ApiError(400, 'Too long', { code: 'invalid_input', errors }), FIELDS);
  assert.deepEqual(
    found.map(({ field }) => field),
    ['name', 'email'],
  );
});

test('a broken connection belongs to no field', () => {
  assert.deepEqual(findFieldErrors(new TypeError('Failed to fetch'), FIELDS), []);
});
