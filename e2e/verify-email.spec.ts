import type { Page } from '@playwright/test';
import { register, sendVerificationCode } from '../contracts/accounts.ts';
import { verifyEmailLink, verifyEmailPath } from '../contracts/links.ts';
import { fillRegistration, fillSignIn, openRegistration } from './account-forms.ts';
import { expect, test } from './fixtures.ts';
import type { JourneyServer } from './journey-server.ts';
import { inventPerson, PASSWORD, type Person } from './people.ts';
import { expectToast } from './upload-actions.ts';

test('§8 Toast: verification failure; §5 Verify e-mail: digits only, exactly 6', { tag: '@all' }, async ({
  page,
  server,
}) => {
  const { email } = await openVerification(page, server);
  await expect(page.getByText('The code expires in 15 minutes.')).toBeVisible();
  const field = page.getByLabel('Verification code');
  const button = page.getByRole('button', { name: 'Verify Email' });
  await field.pressSequentially('1a2-3 4b5');
  await expect(field).toHaveValue('12345');
  await expect(button).toBeDisabled();
  const wrong = (await server.findCode(email)) === '123456' ? '7' : '6';
  await field.pressSequentially(`${wrong}9`);
  await expect(field).toHaveValue(`12345${wrong}`);
  await expect(button).toBeEnabled();
  await button.click();
  await expectToast(
    page,
    'Verification failed',
    '400: This code is not right. Please check it and try again.',
  );
  await expect(field).toBeFocused();
});

test('§8 Toast: verification success, and two seconds later the dashboard', { tag: '@full-browser' }, async ({
  page,
  server,
}) => {
  const { email } = await openVerification(page, server);
  await page.clock.install();
  await page.getByLabel('Verification code').fill(await server.findCode(email));
  // From here on time passes when this test says so.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expectToast(
    page,
    'Email verified!',
    'Your email has been successfully verified. Redirecting to dashboard...',
  );
  await page.clock.runFor(1_900);
  await expect(page).toHaveURL(verifyEmailPath(email));
  await page.clock.runFor(200);
  await page.clock.resume();
  await expect(page).toHaveURL('/dashboard');
  await page.goto('/verify-email');
  await expect(page).toHaveURL('/dashboard');
});

test('§8 Toast: resend success, a minute after the first code', { tag: ['@all', '@full-browser'] }, async ({
  page,
  server,
}) => {
  await page.clock.install();
  const { email } = await openVerification(page, server);
  await expect(page.getByRole('button', { name: /Resend Code in/ })).toBeDisabled();
  await page.clock.fastForward(61_000);
  await page.route(sendVerificationCode.path, (route) => route.fulfill({ status: 204 }));
  await page.getByRole('button', { name: 'Resend Code' }).click();
  await expectToast(page, 'Code sent!', 'A new verification code has been sent to your email.');
  await expect(page.getByRole('button', { name: /Resend Code in/ })).toBeDisabled();
  await page.unroute(sendVerificationCode.path);
  await page.getByLabel('Verification code').fill(await server.findCode(email));
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expectToast(page, 'Email verified!');
  await page.clock.runFor(3_000);
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByText('Redirecting to dashboard...')).toBeHidden();
});

test('§8 Toast: resend failure', { tag: ['@all', '@full-browser'] }, async ({ page, server }) => {
  await page.clock.install();
  await openVerification(page, server);
  await page.clock.fastForward(61_000);
  await page.route(sendVerificationCode.path, (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '50' }, body: 'Too many tries.' }),
  );
  await page.getByRole('button', { name: 'Resend Code' }).click();
  await expectToast(page, 'Failed to resend code', '429: Too many tries.');
  await expect(page.getByRole('button', { name: /Resend Code in/ })).toBeDisabled();
});

test('the link of the code mail fills the code in, and opening it proves nothing', async ({
  page,
  server,
}) => {
  const { email } = await openVerification(page, server);
  const code = await server.findCode(email);
  await page.goto('about:blank');
  await page.goto(verifyEmailLink(email, code));
  await expect(page.getByLabel('Verification code')).toHaveValue(code);
  await expect(page).toHaveURL(verifyEmailPath(email));
  await expect(page.getByRole('button', { name: 'Verify Email' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectToast(page, 'Email verified!');
});

test('opened in another browser the link asks to sign in, and keeps the code', { tag: '@all' }, async ({
  page,
  server,
}) => {
  const { username, email } = await registerSomebody(server);
  await page.goto(verifyEmailLink(email, await server.findCode(email)));
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await fillSignIn(page, username, PASSWORD);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expectToast(page, 'Email verified!');
});

test('who signed in without a proved address is asked for it, and can leave', { tag: '@all' }, async ({
  page,
  server,
}) => {
  const { username, email } = await registerSomebody(server);
  await page.goto('/auth');
  await fillSignIn(page, username, PASSWORD);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL(verifyEmailPath(email));
  await page.goto('/dashboard/settings');
  await expect(page).toHaveURL(verifyEmailPath(email));
  await page.getByRole('link', { name: 'Back to login' }).click();
  await expect(page).toHaveURL('/auth');
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible();
});

async function registerSomebody(server: JourneyServer): Promise<Person> {
  const person = inventPerson();
  await server.anonymous().call(register, { body: { ...person, password: PASSWORD } });
  return person;
}

/** As after registering: the browser has the pending cookie. */
async function openVerification(page: Page, server: JourneyServer): Promise<Person> {
  const person = inventPerson();
  await openRegistration(page);
  await fillRegistration(page, person);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByRole('heading', { name: 'Verify Your Email' })).toBeVisible();
  await server.findCode(person.email);
  return person;
}
