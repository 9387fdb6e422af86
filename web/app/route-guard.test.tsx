import { cleanup } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getCurrentUser, login, register } from '../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../contracts/values/addresses/links.ts';
import { createMember, inventPerson, PASSWORD } from '../../e2e/actions/people.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { queryClient } from '../api/query-client.ts';
import { refreshSession } from '../api/session/session.ts';
import {
  answerOnce,
  cutOnce,
  expectPath,
  holdCall,
  renderAsMember,
  renderPage,
  resetPage,
  screen,
  server,
  waitFor,
} from '../testing/render-page.tsx';

const PROTECTED_PAGES = [
  '/dashboard',
  '/dashboard/upload',
  '/dashboard/transfer/unknown',
  '/dashboard/settings',
];

test('Anonymous: the pages of an account lead to /auth, a 401 means no user', async () => {
  for (const path of PROTECTED_PAGES) {
    renderPage(path);
    await screen.findByRole('heading', { name: 'Welcome Back' });
    expect(location.pathname).toBe('/auth');
    expect(document.querySelector('[data-toast-region] > li')).toBeNull();
    resetPage();
  }
});

test('Protected routes: a spinner fills the window while the user is being determined', async () => {
  const release = holdCall(getCurrentUser);
  await renderAsMember('/dashboard/settings');
  const spinner = await screen.findByText('Loading');
  expect(screen.queryByRole('navigation')).toBeNull();
  release();
  await screen.findByRole('heading', { name: 'Settings', level: 1 });
  await waitFor(() => expect(spinner.isConnected).toBe(false));
});

test('On a further visit the frame is shown before the server has answered, until the user signs out', async () => {
  const { user, member } = await renderAsMember('/dashboard/settings');
  await screen.findByRole('heading', { name: 'Settings', level: 1 });
  cleanup();
  queryClient.clear();
  const release = holdCall(getCurrentUser);
  renderPage('/dashboard/settings', { as: member });
  await screen.findByText(member.username);
  screen.getByText('Loading the page');
  release();
  await screen.findByRole('heading', { name: 'Settings', level: 1 });
  await user.click(screen.getByRole('button', { name: 'Logout' }));
  await screen.findByRole('heading', { name: 'Welcome Back' });
  expect(localStorage.getItem('last-user')).toBeNull();
});

test('a server that cannot say who is signed in does not send them to sign in', async () => {
  answerOnce(getCurrentUser, { status: 503 });
  const { user } = await renderAsMember('/dashboard/settings');
  await screen.findByRole('heading', { name: "This page couldn't be loaded" });
  expect(location.pathname).toBe('/dashboard/settings');
  await user.click(screen.getByRole('button', { name: 'Reload' }));
  await screen.findByRole('heading', { name: 'Settings', level: 1 });
});

test('the page stays when the connection fails while the user is fetched again', async () => {
  await renderAsMember('/dashboard/settings');
  const heading = await screen.findByRole('heading', { name: 'Settings', level: 1 });
  cutOnce(getCurrentUser);
  await refreshSession();
  await screen.findByText('Signed in as');
  expect(heading.isConnected).toBe(true);
  expect(location.pathname).toBe('/dashboard/settings');
});

test('Signed-in user: every dashboard route, and none of the pages before it', async () => {
  const member = await createMember(server, 'premium');
  const { id } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
  for (const path of [
    '/dashboard',
    '/dashboard/upload',
    `/dashboard/transfer/${id}`,
    '/dashboard/settings',
  ]) {
    renderPage(path, { as: member });
    await screen.findByRole('heading', { level: 1 });
    await expectPath(path);
    screen.getByText('Signed in as');
    expect(screen.getAllByText(member.username).length).toBeGreaterThan(0);
    resetPage();
  }
  for (const path of ['/auth', '/verify-email']) {
    renderPage(path, { as: member });
    await expectPath('/dashboard');
    resetPage();
  }
});

test('Not verified: every page of an account leads to /verify-email with the address', async () => {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  const body = JSON.stringify({ username: person.username, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  await client.fetch(login.path, { method: 'POST', headers, body });
  for (const path of [...PROTECTED_PAGES, '/auth']) {
    renderPage(path, { as: { ...person, client } });
    await expectPath(verifyEmailPath(person.email));
    await screen.findByRole('heading', { name: 'Verify Your Email' });
    resetPage();
  }
});

test('any other path offers signed-in users the dashboard and others the home page', async () => {
  renderPage('/no-such-page');
  const start = await screen.findByRole('link', { name: 'Back to the home page' });
  expect(start.getAttribute('href')).toBe('/');
  resetPage();
  const { user } = await renderAsMember('/no-such-page');
  await user.click(await screen.findByRole('link', { name: 'Back to the dashboard' }));
  await expectPath('/dashboard');
  resetPage();
  await renderAsMember('/admin/users');
  await screen.findByRole('link', { name: 'Back to the dashboard' });
});
