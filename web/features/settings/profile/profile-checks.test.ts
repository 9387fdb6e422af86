import assert from 'node:assert/strict';
import { test } from 'vitest';
import { checkEmailChange, checkPasswordChange, type PasswordChange } from './profile-checks.ts';

const RIGHT: PasswordChange = {
  currentPassword: 'old one',
  newPassword: 'new one',
  confirmPassword: 'new one',
};

function refusalOf(changes: Partial<PasswordChange>) {
  const refusal = checkPasswordChange({ ...RIGHT, ...changes }, { hasPassword: true });
  return refusal && { title: refusal.title, fields: Object.keys(refusal.errors) };
}

test("Profile: an e-mail change requires the current password ('Password Required')", () => {
  const refusal = checkEmailChange({ currentPassword: '' }, { hasPassword: true });
  assert.equal(refusal?.title, 'Password Required');
  assert.deepEqual(Object.keys(refusal?.errors ?? {}), ['currentPassword']);
  assert.equal(checkEmailChange({ currentPassword: 'any' }, { hasPassword: true }), undefined);
});

test('an account without a password is not asked for it', () => {
  const account = { hasPassword: false };
  assert.equal(checkEmailChange({ currentPassword: '' }, account), undefined);
  assert.equal(checkPasswordChange({ ...RIGHT, currentPassword: '' }, account), undefined);
  const refusal = checkPasswordChange({ currentPassword: '', newPassword: '', confirmPassword: '' }, account);
  assert.deepEqual(Object.keys(refusal?.errors ?? {}), ['newPassword']);
});

test("Profile: a password change requires the current and the new one ('Missing Fields')", () => {
  assert.deepEqual(refusalOf({ currentPassword: '' }), {
    title: 'Missing Fields',
    fields: ['currentPassword'],
  });
  assert.deepEqual(refusalOf({ newPassword: '' }), { title: 'Missing Fields', fields: ['newPassword'] });
  assert.deepEqual(refusalOf({ currentPassword: '', newPassword: '' }), {
    title: 'Missing Fields',
    fields: ['currentPassword', 'newPassword'],
  });
});

test('Profile: the new password equals its confirmation ("Passwords Don\'t Match")', () => {
  assert.deepEqual(refusalOf({ confirmPassword: 'another' }), {
    title: "Passwords Don't Match",
    fields: ['confirmPassword'],
  });
});

test("Profile: the new password has at least 6 characters ('Password Too Short')", () => {
  assert.deepEqual(refusalOf({ newPassword: '12345', confirmPassword: '12345' }), {
    title: 'Password Too Short',
    fields: ['newPassword'],
  });
  assert.equal(refusalOf({ newPassword: '123456', confirmPassword: '123456' }), undefined);
});

test('a mismatch is reported before a short password', () => {
  assert.equal(refusalOf({ newPassword: '1', confirmPassword: '2' })?.title, "Passwords Don't Match");
});
