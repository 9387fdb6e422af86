import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { login, logout } from '../../../../contracts/accounts/accounts.ts';
import {
  beginSsoSignIn,
  listSignInProviders,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { createMember, PASSWORD } from '../../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  fill,
  renderAsMember,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
} from '../../../testing/render-page.tsx';

const PROVIDER = { id: 'a-provider', name: 'Nordlicht' };
const DEPARTURE = 'https://login.example.org/authorize?state=x';
let assign: MockInstance;

beforeEach(() => {
  assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
});
afterEach(() => assign.mockRestore());

function answerJson(call: Parameters<typeof answerOnce>[0], body: object, status = 200): void {
  answerOnce(call, { status, body });
}

test('without providers there is neither a divider nor a button', async () => {
  answerJson(listSignInProviders, []);
  renderPage('/auth');
  await screen.findByRole('button', { name: 'Sign In' });
  expect(screen.queryByRole('region', { name: 'Sign-in providers' })).toBeNull();
});

test('a provider opens with the page to return to, and the button stays busy', async () => {
  answerJson(listSignInProviders, [PROVIDER]);
  answerJson(beginSsoSignIn, { url: DEPARTURE });
  const user = renderPage('/auth?next=%2Fdashboard%2Fsettings%3Fa%3Db%23password');
  await user.click(await screen.findByRole('button', { name: 'Continue with Nordlicht' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(DEPARTURE));
  expect(await sentTo(beginSsoSignIn)).toEqual([
    { providerId: PROVIDER.id, returnTo: '/dashboard/settings?a=b#password' },
  ]);
  const button = screen.getByRole('button', { name: 'Continue with Nordlicht' });
  expect(button.getAttribute('aria-busy')).toBe('true');
});

test('a provider that is down is told, and nothing opens', async () => {
  answerJson(listSignInProviders, [PROVIDER]);
  const problem = { status: 503, title: 'Down', detail: 'Nordlicht is down.', code: 'sso_unreachable' };
  answerJson(beginSsoSignIn, problem, 503);
  const user = renderPage('/auth');
  await user.click(await screen.findByRole('button', { name: 'Continue with Nordlicht' }));
  await expectToast('Login failed', "Nordlicht can't be reached right now. Try again in a few minutes.");
  expect(assign).not.toHaveBeenCalled();
});

test('an account that must use a provider is led to it, and may go back', async () => {
  answerJson(listSignInProviders, [PROVIDER]);
  const problem = {
    status: 403,
    title: 'Required',
    detail: 'Accounts with this email address sign in with Nordlicht.',
    code: 'sso_required',
    providerId: PROVIDER.id,
    name: PROVIDER.name,
  };
  answerJson(login, problem, 403);
  answerJson(beginSsoSignIn, { url: DEPARTURE });
  const user = renderPage('/auth');
  await fill(user, await screen.findByLabelText('Username'), 'nora');
  await fill(user, screen.getByLabelText('Password'), 'a password');
  await user.keyboard('{Enter}');
  const title = await screen.findByRole('heading', { name: 'Sign in with Nordlicht' });
  expect(document.activeElement).toBe(title);
  screen.getByText('Accounts with this email address sign in with Nordlicht.');
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await screen.findByLabelText('Username');
  answerJson(login, problem, 403);
  await fill(user, screen.getByLabelText('Username'), 'nora');
  await fill(user, screen.getByLabelText('Password'), 'a password');
  await user.keyboard('{Enter}');
  await screen.findByRole('heading', { name: 'Sign in with Nordlicht' });
  await user.click(screen.getByRole('button', { name: 'Continue with Nordlicht' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(DEPARTURE));
});

test('an outcome is shown until the person turns to the registration', async () => {
  answerJson(listSignInProviders, [PROVIDER]);
  const user = renderPage('/auth?sso=no-account&provider=a-provider&next=%2Fdashboard%2Fupload');
  expect((await screen.findByRole('alert')).textContent).toBe(
    'There is no account for you here yet. Please ask your administrator for one.',
  );
  await user.click(screen.getByRole('link', { name: "Don't have an account? Sign up" }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  await expectPath('/auth?next=%2Fdashboard%2Fupload&mode=sign-up');
});

test('with an account that is not linked yet, the password leads to linking', async () => {
  const member = await createMember(server, 'free');
  answerJson(listSignInProviders, [PROVIDER]);
  const user = renderPage('/auth?sso=account-exists&provider=a-provider&next=%2Fdashboard');
  await fill(user, await screen.findByLabelText('Username'), member.username);
  await fill(user, screen.getByLabelText('Password'), PASSWORD);
  await user.keyboard('{Enter}');
  await expectPath('/dashboard/settings/security#sign-in-providers');
});

test('the second factor is asked for after a provider, and Back leads to the form', async () => {
  answerJson(listSignInProviders, [PROVIDER]);
  const user = renderPage('/auth?sso=second-factor&provider=a-provider&factors=totp,recovery-code&next=%2Fx');
  await screen.findByLabelText('Code of your authenticator app');
  screen.getByRole('button', { name: 'Use a recovery code' });
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await screen.findByLabelText('Username');
  await expectPath('/auth?next=%2Fx');
});

test('signing out leads to the provider if the session began there', async () => {
  const { user } = await renderAsMember('/dashboard/settings', 'free');
  const button = (await screen.findAllByRole('button', { name: 'Logout' }))[0]!;
  answerJson(logout, { logoutUrl: 'https://login.example.org/logout' });
  await user.click(button);
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://login.example.org/logout'));
  await expectToast('Logged out', "You've been successfully logged out.");
});
