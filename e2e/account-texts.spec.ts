import { login, logout, register } from '../contracts/accounts.ts';
import { verifyEmailPath } from '../contracts/links.ts';
import { expectAccessible } from './accessibility.ts';
import { fillRegistration, fillSignIn, holdCall, openRegistration } from './account-forms.ts';
import { expect, test } from './fixtures.ts';
import { inventPerson, PASSWORD } from './people.ts';
import { expectToast } from './upload-actions.ts';

test.describe('signing in', () => {
  test('§5 Login: username required, password required', async ({ page }) => {
    await page.goto('/auth');
    await expect(page.getByText('Sign in to your account to continue')).toBeVisible();
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page.getByText('Username is required', { exact: true })).toBeVisible();
    await expect(page.getByText('Password is required', { exact: true })).toBeVisible();
    await expect(page.getByLabel('Username')).toBeFocused();
  });

  test('§8 Toast: login failure', async ({ page, member }) => {
    await page.goto('/auth');
    await fillSignIn(page, member.username, 'not the password');
    await page.keyboard.press('Enter');
    await expectToast(page, 'Login failed', '401: The username or password is not right.');
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
    await expect(page).toHaveURL('/auth');
  });

  test('§8 Toast: login success, back on the page that was asked for', async ({ page, member }) => {
    await page.goto('/dashboard/settings?from=mail#sessions');
    await expect(page).toHaveURL(({ pathname }) => pathname === '/auth');
    await fillSignIn(page, member.username, PASSWORD);
    const release = await holdCall(page, login);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page.getByRole('button', { name: 'Signing In...' })).toBeVisible();
    release();
    await expectToast(page, 'Welcome back!', "You've successfully logged in.");
    await expect(page).toHaveURL('/dashboard/settings?from=mail#sessions');
  });

  test('leads to another site for nobody', async ({ page, member }) => {
    await page.goto('/auth?next=//evil.example/');
    await fillSignIn(page, member.username, PASSWORD);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page).toHaveURL('/dashboard');
  });

  test('after too many tries the button counts down to the next', async ({ page, member }) => {
    await page.clock.install();
    await page.goto('/auth');
    await fillSignIn(page, member.username, 'not the password');
    await page.route(login.path, (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '90' }, body: 'Too many tries.' }),
    );
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expectToast(page, 'Login failed', '429: Too many tries.');
    await expect(page.getByRole('button', { name: /Try again in 1:\d\d/ })).toBeDisabled();
    await page.getByLabel('Username').fill('somebody-else');
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeEnabled();
    await page.getByLabel('Username').fill(member.username);
    await expect(page.getByRole('button', { name: /Try again in/ })).toBeDisabled();
    await page.clock.runFor(91_000);
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeEnabled();
  });
});

test.describe('registration', () => {
  test('§5 Registration: every field is required, the passwords match, the terms are accepted', async ({
    page,
  }) => {
    await openRegistration(page);
    await page.getByLabel('Password', { exact: true }).fill('one password');
    await page.getByRole('button', { name: 'Create Account' }).click();
    for (const message of [
      'Name is required',
      'Username is required',
      'Please enter a valid email address',
      "Passwords don't match",
      'You must accept the Terms of Service and Privacy Policy',
    ])
      await expect(page.getByText(message, { exact: true })).toBeVisible();
    await expectAccessible(page, 'registration, with mistakes');
  });

  test('§8 Toast: registration failure, and what is wrong is said at its field', async ({ page, member }) => {
    await openRegistration(page);
    await fillRegistration(page, { ...inventPerson(), username: member.username });
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expectToast(page, 'Registration failed', '409: This username is already taken.');
    const username = page.getByLabel('Username');
    await expect(username).toBeFocused();
    await expect(username).toHaveAccessibleDescription(/This username is already taken\./);
  });

  test('§8 Toast: registration success', async ({ page }) => {
    const person = inventPerson();
    await openRegistration(page);
    await fillRegistration(page, person);
    const release = await holdCall(page, register);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByRole('button', { name: 'Creating Account...' })).toBeVisible();
    const sent = page.waitForResponse((response) => response.url().endsWith(register.path));
    release();
    // §5 Registration: confirmPassword and acceptTerms are not sent.
    expect((await sent).request().postDataJSON()).toEqual({ ...person, password: PASSWORD });
    await expectToast(page, 'Account created!', 'Please check your email to verify your account.');
    await expect(page).toHaveURL(verifyEmailPath(person.email));
  });

  test('switching forgets what was typed in either form; terms and privacy open beside it', async ({
    page,
  }) => {
    await page.goto('/auth');
    await page.getByLabel('Username').fill('vera');
    await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
    await expect(page.getByText('Sign up to start sharing files securely')).toBeVisible();
    await expect(page.getByLabel('Username')).toHaveValue('');
    for (const [name, path] of [
      ['Terms of Service', '/terms'],
      ['Privacy Policy', '/privacy'],
    ] as const) {
      const link = page.getByRole('link', { name });
      await expect(link).toHaveAttribute('href', path);
      await expect(link).toHaveAttribute('target', '_blank');
    }
    await page.getByLabel('Full Name').fill('Vera');
    await page.getByRole('link', { name: 'Already have an account? Sign in' }).click();
    await expect(page.getByLabel('Username')).toHaveValue('');
    await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
    await expect(page.getByLabel('Full Name')).toHaveValue('');
  });

  test('the panel beside it names the size and the days, on wide windows', async ({ page }) => {
    await page.goto('/auth');
    const panel = page.getByRole('complementary');
    await expect(panel).toContainText('50GB');
    await expect(panel).toContainText('max file size');
    await expect(panel).toContainText('90 days');
    await expect(panel).toContainText('storage');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(panel).toBeHidden();
  });
});

test.describe('logging out', () => {
  test('§8 Toast: logout success', async ({ memberPage: page }) => {
    await page.goto('/dashboard/settings');
    await page.getByRole('button', { name: 'Logout' }).click();
    await expectToast(page, 'Logged out', "You've been successfully logged out.");
    await expect(page).toHaveURL('/auth');
  });

  test('§8 Toast: logout failure', async ({ memberPage: page }) => {
    await page.goto('/dashboard');
    await page.route(logout.path, (route) => route.fulfill({ status: 503, body: 'Busy for a moment.' }));
    await page.getByRole('button', { name: 'Logout' }).click();
    await expectToast(page, 'Logout failed', '503: Busy for a moment.');
    await expect(page).toHaveURL('/dashboard');
  });
});
