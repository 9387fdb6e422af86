import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { LoginInput, RegisterForm, RegisterInput, VerifyEmailInput } from '../../../contracts/accounts.ts';

const VERA = {
  name: 'Vera Visitor',
  username: 'vera',
  email: 'vera@example.org',
  password: 'correct horse battery',
  confirmPassword: 'correct horse battery',
  acceptTerms: true,
};

/** The first message at each field. */
function messagesOf(schema: z.ZodType, input: unknown): Record<string, string> {
  const { error } = schema.safeParse(input);
  return Object.fromEntries(
    (error?.issues ?? []).reverse().map(({ path, message }) => [path.join('.'), message]),
  );
}

test("§5 Login: username required ('Username is required')", () => {
  assert.deepEqual(messagesOf(LoginInput, { username: '', password: 'any' }), {
    username: 'Username is required',
  });
});

test("§5 Login: password required ('Password is required')", () => {
  assert.deepEqual(messagesOf(LoginInput, { username: 'vera', password: '' }), {
    password: 'Password is required',
  });
});

test('§5 Registration: name, username, email, password required', () => {
  const empty = { name: '', username: '', email: '', password: '', confirmPassword: '', acceptTerms: true };
  assert.deepEqual(messagesOf(RegisterForm, empty), {
    name: 'Name is required',
    username: 'Username is required',
    email: 'Please enter a valid email address',
    password: 'Password is required',
  });
});

test('§5 Registration: confirmPassword must equal password ("Passwords don\'t match", on confirmPassword)', () => {
  assert.deepEqual(messagesOf(RegisterForm, { ...VERA, confirmPassword: 'another' }), {
    confirmPassword: "Passwords don't match",
  });
});

test('§5 Registration: acceptTerms must be true', () => {
  assert.deepEqual(messagesOf(RegisterForm, { ...VERA, acceptTerms: false }), {
    acceptTerms: 'You must accept the Terms of Service and Privacy Policy',
  });
});

test('§5 Registration: confirmPassword and acceptTerms are not part of what is sent', () => {
  assert.deepEqual(Object.keys(RegisterInput.parse(VERA)), ['name', 'username', 'email', 'password']);
});

test('§5 Verify e-mail: digits only, exactly 6', () => {
  assert.equal(VerifyEmailInput.safeParse({ code: '123456' }).success, true);
  for (const code of ['12345', '1234567', '12345a', ''])
    assert.deepEqual(messagesOf(VerifyEmailInput, { code }), { code: 'Please enter the 6-digit code' });
});
