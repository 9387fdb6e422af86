import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../../client/api-error.ts';
import { findFieldErrors, showErrors } from './field-errors.ts';

const VALUES = { name: '', username: '', email: '', currentPassword: '', free: { price: '' } };
const findErrors = (error: unknown) => findFieldErrors(error, { getValues: (() => VALUES) as never });

test('a taken username or address is shown at its field', () => {
  const taken = (code: 'username_taken' | 'email_taken') =>
    findErrors(new ApiError(409, 'This is taken.', { code }));
  assert.deepEqual(taken('username_taken'), { username: 'This is taken.' });
  assert.deepEqual(taken('email_taken'), { email: 'This is taken.' });
});

test('a wrong current password is shown at its field', () => {
  const error = new ApiError(400, 'Not right.', { code: 'wrong_current_password' });
  assert.deepEqual(findErrors(error), { currentPassword: 'Not right.' });
});

test('shows field errors of the server in the order of the form', () => {
  const errors = { 'free.price': 'Too low', email: 'Not an address', tier: 'Not yours', name: 'Too long' };
  const found = findErrors(new ApiError(400, 'Too long', { code: 'invalid_input', errors }));
  assert.deepEqual(Object.keys(found), ['name', 'email', 'free.price']);
});

test('a broken connection belongs to no field', () => {
  assert.deepEqual(findErrors(new TypeError('Failed to fetch')), {});
});

test('a field does not repeat what the toast says', () => {
  const types: Record<string, unknown> = {};
  const setError = (field: string, { type }: { type: string }) => {
    types[field] = type;
  };
  const errors = { name: 'Too long', email: 'Not an address' };
  showErrors<typeof errors>({ setError: setError as never }, errors, '400: Too long');
  assert.deepEqual(types, { name: 'told', email: 'server' });
});
