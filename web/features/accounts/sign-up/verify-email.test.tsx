import { expect, onTestFinished, test, vi } from 'vitest';
import {
  login,
  register,
  sendVerificationCode,
  verifyEmail,
} from '../../../../contracts/accounts/accounts.ts';
import { verifyEmailLink, verifyEmailPath } from '../../../../contracts/values/addresses/links.ts';
import { inventPerson, type Member, PASSWORD } from '../../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  fill,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
} from '../../../testing/render-page.tsx';

test('Toast: verification failure; Verify e-mail: digits only, exactly 6', async () => {
  const { user, email } = await openVerification();
  screen.getByText('The code expires in 15 minutes.');
  const field = screen.getByLabelText<HTMLInputElement>('Verification code');
  expect(document.activeElement).toBe(field);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Verify Email' });
  await user.type(field, '1a2-3 4b5');
  expect(field.value).toBe('12345');
  expect(button.disabled).toBe(true);
  const wrong = (await server.findCode(email)) === '123456' ? '7' : '6';
  await user.keyboard(`${wrong}9`);
  expect(field.value).toBe(`12345${wrong}`);
  expect(button.disabled).toBe(false);
  // The sixth digit has submitted it.
  await expectToast('Verification failed', '400: This code is incorrect. Check it and try again.');
  expect(document.activeElement).toBe(field);
  expect(await sentTo(verifyEmail)).toEqual([{ code: `12345${wrong}` }]);
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  await user.click(button);
  await waitFor(async () => expect(await sentTo(verifyEmail)).toHaveLength(2));
});

test('Toast: resend success, a minute after the first code', async () => {
  const { user, email } = await openVerification();
  // A code was just sent, so the page starts with the countdown.
  expectWaiting();
  letPass(61_000);
  answerOnce(sendVerificationCode, { status: 204 });
  await user.click(await screen.findByRole('button', { name: 'Resend Code' }));
  await expectToast('Code sent!', 'A new verification code has been sent to your email.');
  expectWaiting();
  await fill(user, screen.getByLabelText('Verification code'), await server.findCode(email));
  await expectToast('Email verified!');
  await expectPath('/dashboard');
  await waitFor(() => expect(screen.queryByText(/Redirecting to dashboard/)).toBeNull());
});

test('Toast: resend failure', async () => {
  const { user } = await openVerification();
  letPass(61_000);
  answerOnce(sendVerificationCode, {
    status: 429,
    headers: { 'retry-after': '50' },
    body: 'Too many attempts.',
  });
  await user.click(await screen.findByRole('button', { name: 'Resend Code' }));
  await expectToast('Failed to resend code', '429: Too many attempts.');
  expectWaiting();
});

test('a link opened in another browser asks to sign in and keeps the code', async () => {
  const { username, email } = await registerSomebody();
  const user = renderPage(verifyEmailLink(email, await server.findCode(email)));
  await user.click(await screen.findByRole('link', { name: 'Sign in' }));
  await fill(user, await screen.findByLabelText('Username'), username);
  await fill(user, screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await expectToast('Email verified!');
});

test('a user with an unverified address is asked for the code and can log out', async () => {
  const { username, email } = await registerSomebody();
  const user = renderPage('/auth');
  await fill(user, await screen.findByLabelText('Username'), username);
  await fill(user, screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await expectPath(verifyEmailPath(email));
  // Signing in sent no code.
  await screen.findByRole('button', { name: 'Resend Code' });
  await user.click(await screen.findByRole('link', { name: 'Back to login' }));
  await screen.findByRole('heading', { name: 'Welcome Back' });
  await expectPath('/auth');
});

test('opens the dashboard without an error after another tab has verified the address', async () => {
  const person = await registerSomebody();
  const { client, username, email } = person;
  await client.call(login, { body: { username, password: PASSWORD } });
  const user = renderPage(verifyEmailPath(email), { as: person });
  const field = await screen.findByLabelText('Verification code');
  const code = await server.findCode(email);
  await client.call(verifyEmail, { body: { code } });
  await fill(user, field, code);
  await expectPath('/dashboard');
  await waitFor(() => expect(document.querySelector('[data-toast-region] > li')).toBeNull());
});

async function registerSomebody(): Promise<Member> {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  return { ...person, client };
}

/** As after registration, the browser has the pending cookie. */
async function openVerification() {
  const person = await registerSomebody();
  const user = renderPage(verifyEmailPath(person.email), { as: person });
  await screen.findByRole('heading', { name: 'Verify Your Email' });
  return { user, email: person.email };
}

function expectWaiting(): void {
  const button = screen.getByRole('button', { name: /^Resend Code in \d:\d\d$/ });
  expect(button.getAttribute('aria-disabled')).toBe('true');
}

/** Advances the page's clock. */
function letPass(ms: number): void {
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => clock.mockRestore());
}
