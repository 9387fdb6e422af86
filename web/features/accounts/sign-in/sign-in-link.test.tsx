import { expect, test } from 'vitest';
import { signInByLink } from '../../../../contracts/accounts/sign-in/link.ts';
import {
  expectToast,
  listRequestedPaths,
  renderAsMember,
  renderPage,
  screen,
  within,
} from '../../../testing/render-page.tsx';

test('a link is used only when the button is pressed, and a refusal is shown', async () => {
  const user = renderPage('/auth/link#token=unknown');
  const button = await screen.findByRole('button', { name: 'Sign in here' });
  expect(listRequestedPaths()).not.toContain(signInByLink.path);
  await user.click(button);
  await expectToast('Login failed', 'Signing in by an emailed link is turned off here.');
});

test('“Recent activity” lists a sign-in', async () => {
  await renderAsMember('/dashboard/settings/security', 'free');
  const list = within(await screen.findByRole('list', { name: 'Recent activity' }));
  expect(list.getAllByText('Signed in').length).toBeGreaterThan(0);
});
