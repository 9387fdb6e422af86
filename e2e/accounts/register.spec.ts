import { expect, test } from '../actions/fixtures.ts';
import { inventPerson, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test('a new user signs up, verifies the address with the code from the log, and signs in later', async ({
  page,
  server,
}) => {
  const { name, username, email } = inventPerson();
  await page.goto('/auth');
  await page.getByRole('link', { name: "Don't have an account? Sign up" }).click();
  await expect(page.getByRole('heading', { name: 'Create Account' })).toBeVisible();

  await test.step('mistakes are said at their fields', async () => {
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByText('Name is required', { exact: true })).toBeVisible();
    await expect(page.getByText('Username is required', { exact: true })).toBeVisible();
    await expect(page.getByText('Password is required', { exact: true })).toBeVisible();
    await expect(
      page.getByText('You must accept the Terms of Service and Privacy Policy', { exact: true }),
    ).toBeVisible();
    await page.getByLabel('Full Name').fill(name);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm Password').fill('something else');
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByText("Passwords don't match", { exact: true })).toBeVisible();
    await expect(page.getByText('Username is required', { exact: true })).toBeHidden();
  });

  await test.step('the account is made and waits for its code', async () => {
    await page.getByLabel('Confirm Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expectToast(page, 'Account created!', 'Please check your email to verify your account.');
    await expect(page).toHaveURL(`/verify-email?email=${encodeURIComponent(email)}`);
    await expect(page.getByText('The code expires in 15 minutes.')).toBeVisible();
  });

  await test.step('only six digits can be sent, and only the right ones help', async () => {
    const code = await server.findCode(email);
    const verify = page.getByRole('button', { name: 'Verify Email' });
    const field = page.getByLabel('Verification code');
    await field.fill('12 34a');
    await expect(field).toHaveValue('1234');
    await expect(verify).toBeDisabled();
    await field.fill(code === '000000' ? '111111' : '000000');
    await expectToast(page, 'Verification failed');
    await field.fill(code);
    await expectToast(
      page,
      'Email verified!',
      'Your email has been successfully verified. Redirecting to dashboard...',
    );
    await expect(page).toHaveURL('/dashboard');
    await expect(page.getByText('No transfers yet')).toBeVisible();
    await expect(page.getByText('Upload your first files to get started')).toBeVisible();
    await expect(page.getByText(username)).toBeVisible();
  });

  await test.step('log out', async () => {
    await page.getByRole('button', { name: 'Logout' }).click();
    await expectToast(page, 'Logged out', "You've been successfully logged out.");
    await expect(page).toHaveURL(/\/auth$/);
  });

  await test.step('a wrong password is refused, the right one welcomed', async () => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expectToast(page, 'Login failed');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expectToast(page, 'Welcome back!', "You've successfully logged in.");
    await expect(page).toHaveURL('/dashboard');
  });
});
