import assert from 'node:assert/strict';
import test from 'node:test';
import type { z } from 'zod';
import { LoginInput, RegisterForm, RegisterInput, VerifyEmailInput } from './accounts.ts';
import { NewPasswordForm } from './password-reset.ts';

const NINA = {
  name: 'Nina New',
  username: 'nina',
  email: 'nina@example.org',
  password: 'nina has a cat',
  confirmPassword: 'nina has a cat',
  acceptTerms: true,
};

function messagesOf(schema: z.ZodType, input: unknown): Record<string, string> {
  const { error } = schema.safeParse(input);
  return Object.fromEntries(
    (error?.issues ?? []).toReversed().map(({ path, message }) => [path.join('.'), message]),
  );
}

test('sign-in requires a username', () => {
  const input = { username: '', password: 'x' };
  assert.deepEqual(messagesOf(LoginInput, input), { username: 'Username is required' });
});

test('sign-in requires a password', () => {
  const input = { username: 'nina', password: '' };
  assert.deepEqual(messagesOf(LoginInput, input), { password: 'Password is required' });
});

test('sign-in with a username or password that no account can have reports wrong credentials', () => {
  const sentence = 'Incorrect username or password.';
  for (const username of ['x'.repeat(321), 'ni\0na', '\ud800'])
    assert.deepEqual(messagesOf(LoginInput, { username, password: 'x' }), { username: sentence });
  const endless = { username: 'nina', password: 'x'.repeat(201) };
  assert.deepEqual(messagesOf(LoginInput, endless), { password: sentence });
});

test('registration requires name, username, email and password', () => {
  const blank = { ...NINA, name: ' ', username: ' ', email: '', password: '', confirmPassword: '' };
  assert.deepEqual(messagesOf(RegisterForm, blank), {
    name: 'Name is required',
    username: 'Username is required',
    email: 'Please enter a valid email address',
    password: 'Password is required',
  });
});

test('confirmPassword must equal password, which is also reported while other fields are invalid', () => {
  const differing = { ...NINA, confirmPassword: 'another' };
  assert.deepEqual(messagesOf(RegisterForm, differing), { confirmPassword: "Passwords don't match" });
  assert.deepEqual(messagesOf(RegisterForm, { ...differing, name: '' }), {
    name: 'Name is required',
    confirmPassword: "Passwords don't match",
  });
});

test('acceptTerms must be true', () => {
  for (const acceptTerms of [false, undefined, 'yes'])
    assert.deepEqual(messagesOf(RegisterForm, { ...NINA, acceptTerms }), {
      acceptTerms: 'You must accept the Terms of Service and Privacy Policy',
    });
});

test('confirmPassword and acceptTerms are not part of the request', () => {
  const { confirmPassword, acceptTerms, ...sent } = NINA;
  assert.deepEqual(Object.keys(RegisterInput.shape), [...Object.keys(sent), 'invitationToken']);
  assert.deepEqual(RegisterInput.parse({ ...sent, confirmPassword, acceptTerms }), sent);
});

test('a verification code is exactly 6 digits', () => {
  assert.deepEqual(messagesOf(VerifyEmailInput, { code: '012345' }), {});
  for (const code of ['', '12345', '1234567', '12345a', ' 12345', '１２３４５６', '123456\n'])
    assert.deepEqual(messagesOf(VerifyEmailInput, { code }), { code: 'Please enter the 6-digit code' });
});

test('an account password has 6 to 200 characters', () => {
  const messageOf = (password: string) =>
    messagesOf(NewPasswordForm, { password, confirmPassword: password }).password;
  assert.equal(messageOf('12345'), 'Please use at least 6 characters.');
  assert.equal(messageOf('123456'), undefined);
  assert.equal(messageOf('x'.repeat(200)), undefined);
  assert.equal(messageOf('x'.repeat(201)), 'Please use at most 200 characters.');
});

test('the two entries of a new password must match', () => {
  const form = { password: 'one of them', confirmPassword: 'the other' };
  assert.deepEqual(messagesOf(NewPasswordForm, form), { confirmPassword: "Passwords don't match" });
});
