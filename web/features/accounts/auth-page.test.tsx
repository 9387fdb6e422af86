import { cleanup } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { login, logout, register } from '../../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/values/addresses/links.ts';
import { createMember, inventPerson, PASSWORD, type Person } from '../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  fill,
  holdCall,
  renderAsMember,
  renderPage,
  screen,
  sentTo,
  server,
  within,
} from '../../testing/render-page.tsx';

function refuse(): never {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}

test('the forms work in a browser that refuses all storage', async () => {
  const { indexedDB } = globalThis;
  const storage = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage')!;
  Object.assign(globalThis, { indexedDB: { open: refuse } });
  Object.defineProperty(globalThis, 'sessionStorage', { get: refuse, configurable: true });
  try {
    renderPage('/auth');
    await screen.findByLabelText('Password');
    cleanup();
    renderPage('/verify-email#code=12');
    await screen.findByLabelText('Verification code');
  } finally {
    Object.assign(globalThis, { indexedDB });
    Object.defineProperty(globalThis, 'sessionStorage', storage);
  }
});

describe('signing in', () => {
  test('Login: username required, password required', async () => {
    const user = renderPage('/auth');
    await screen.findByText('Sign in to your account to continue');
    await user.click(screen.getByRole('button', { name: 'Sign In' }));
    await screen.findByText('Username is required');
    screen.getByText('Password is required');
    expect(document.activeElement).toBe(screen.getByLabelText('Username'));
  });

  test('Toast: login failure', async () => {
    const member = await createMember(server, 'free');
    const user = renderPage('/auth');
    await fillSignIn(user, member.username, 'not the password');
    await user.keyboard('{Enter}');
    await expectToast('Login failed', '401: Incorrect username or password.');
    expect(document.activeElement).toBe(screen.getByLabelText('Password'));
    await expectPath('/auth');
  });

  test('Toast: login success returns to the requested page', async () => {
    const member = await createMember(server, 'free');
    const user = renderPage('/dashboard/settings?from=mail#password');
    await fillSignIn(user, member.username, PASSWORD);
    expect(location.pathname).toBe('/auth');
    const release = holdCall(login);
    await user.click(screen.getByRole('button', { name: 'Sign In' }));
    await screen.findByRole('button', { name: 'Signing In...' });
    release();
    await expectToast('Welcome back!', "You've successfully logged in.");
    await expectPath('/dashboard/settings?from=mail#password');
  });

  test('never redirects to another site', async () => {
    const member = await createMember(server, 'free');
    const user = renderPage('/auth?next=//evil.example/');
    await fillSignIn(user, member.username, PASSWORD);
    await user.click(screen.getByRole('button', { name: 'Sign In' }));
    await expectPath('/dashboard');
    expect(location.origin).toBe(server.url);
  });
});

describe('registration', () => {
  test('Registration: every field is required, the passwords match, the terms are accepted', async () => {
    const user = await openRegistration();
    await fill(user, screen.getByLabelText('Password'), 'one password');
    await user.click(screen.getByRole('button', { name: 'Create Account' }));
    await screen.findByText('Name is required');
    screen.getByText('Username is required');
    screen.getByText('Please enter a valid email address');
    screen.getByText("Passwords don't match");
    screen.getByText('You must accept the Terms of Service and Privacy Policy');
  });

  test('Toast: registration failure, and the server’s reason at its field', async () => {
    const { username } = await createMember(server, 'free');
    const user = await openRegistration();
    await fillRegistration(user, { ...inventPerson(), username });
    await user.click(screen.getByRole('button', { name: 'Create Account' }));
    await expectToast('Registration failed', '409: This username is already taken.');
    const field = screen.getByRole('textbox', {
      name: 'Username',
      description: /This username is already taken\./,
    });
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    // Not shown twice.
    screen.getByText('This username is already taken.', { selector: '[data-told]' });
  });

  test('Toast: registration success', async () => {
    const person = inventPerson();
    const user = await openRegistration();
    await fillRegistration(user, person);
    const release = holdCall(register);
    await user.click(screen.getByRole('button', { name: 'Create Account' }));
    await screen.findByRole('button', { name: 'Creating Account...' });
    release();
    await expectToast('Account created!', 'Please check your email to verify your account.');
    await expectPath(verifyEmailPath(person.email));
    // confirmPassword and acceptTerms are not sent.
    expect(await sentTo(register)).toEqual([{ ...person, password: PASSWORD }]);
  });

  test('switching clears both forms; terms and privacy open in another tab', async () => {
    const user = renderPage('/auth');
    await user.type(await screen.findByLabelText('Username'), 'vera');
    await user.click(screen.getByRole('link', { name: "Don't have an account? Sign up" }));
    await screen.findByLabelText('Full Name');
    expect(screen.getByLabelText<HTMLInputElement>('Username').value).toBe('');
    for (const [name, path] of [
      ['Terms of Service', '/terms'],
      ['Privacy Policy', '/privacy'],
    ] as const) {
      const link = screen.getByRole('link', { name });
      expect(link.getAttribute('href')).toBe(path);
      expect(link.getAttribute('target')).toBe('_blank');
    }
    await user.type(screen.getByLabelText('Full Name'), 'Vera');
    await user.click(screen.getByRole('link', { name: 'Already have an account? Sign in' }));
    expect((await screen.findByLabelText<HTMLInputElement>('Username')).value).toBe('');
    await user.click(screen.getByRole('link', { name: "Don't have an account? Sign up" }));
    expect((await screen.findByLabelText<HTMLInputElement>('Full Name')).value).toBe('');
  });
});

describe('logging out', () => {
  test('Toast: logout success', async () => {
    const { user } = await renderAsMember('/dashboard/settings');
    await user.click(await screen.findByRole('button', { name: 'Logout' }));
    await expectToast('Logged out', "You've been successfully logged out.");
    await expectPath('/auth');
  });

  test('Toast: logout failure', async () => {
    const { user } = await renderAsMember('/dashboard');
    answerOnce(logout, { status: 503, body: 'Busy for a moment.' });
    await user.click(await screen.findByRole('button', { name: 'Logout' }));
    await expectToast('Logout failed', '503: Busy for a moment.');
    await expectPath('/dashboard');
  });
});

async function fillSignIn(user: UserEvent, username: string, password: string): Promise<void> {
  await fill(user, await screen.findByLabelText('Username'), username);
  await fill(user, screen.getByLabelText('Password'), password);
}

async function openRegistration(): Promise<UserEvent> {
  const user = renderPage('/auth');
  await user.click(await screen.findByRole('link', { name: "Don't have an account? Sign up" }));
  await screen.findByLabelText('Full Name');
  return user;
}

async function fillRegistration(user: UserEvent, { name, username, email }: Person): Promise<void> {
  const form = within(document.querySelector('form')!);
  await fill(user, form.getByLabelText('Full Name'), name);
  await fill(user, form.getByLabelText('Username'), username);
  await fill(user, form.getByLabelText('Email'), email);
  await fill(user, form.getByLabelText('Password'), PASSWORD);
  await fill(user, form.getByLabelText('Confirm Password'), PASSWORD);
  await user.click(form.getByRole('checkbox'));
}
