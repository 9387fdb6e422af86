import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey, listApiKeys } from '../../../../contracts/accounts/api-keys.ts';
import { listSessions } from '../../../../contracts/accounts/settings.ts';
import { listFactors } from '../../../../contracts/accounts/sign-in/factors.ts';
import { listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createMember, PASSWORD } from '../../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectToast,
  renderAsMember,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

test('who must have a second factor sets one up before anything else', async () => {
  const member = await createMember(server, 'free');
  const account = await member.client.call(getCurrentUser);
  answerOnce(getCurrentUser, { status: 200, body: { ...account, mustAddFactor: true } });
  const user = renderPage(PAGES.dashboard, { as: member });
  await screen.findByRole('heading', { name: 'Set up a second factor' });
  await screen.findByRole('heading', { name: 'Passkeys' });
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  expect(screen.queryByText('0')).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Set up an app' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Set up an authenticator app' }));
  const secret = (await dialog.findByText(/^[A-Z2-7]{4}( [A-Z2-7]{4})+/)).textContent!.replaceAll(' ', '');
  await user.type(dialog.getByLabelText('Code of your authenticator app'), new TOTP({ secret }).generate());
  await user.click(await screen.findByRole('button', { name: 'I have saved them' }));
  await user.click(await screen.findByRole('button', { name: 'Continue' }));
  await screen.findByRole('heading', { name: 'My Transfers' });
  expect((await member.client.call(listFactors)).app).not.toBeNull();
});

test('a refusal for a missing second factor leads to its setup', async () => {
  const { member, user } = await renderAsMember(PAGES.settingsSecurity);
  await screen.findByRole('heading', { name: 'Sessions' });
  const account = await member.client.call(getCurrentUser);
  answerOnce(listTransfers, {
    status: 403,
    body: { status: 403, title: 'Set up', detail: 'Set up', code: 'second_factor_setup_required' },
  });
  answerOnce(getCurrentUser, { status: 200, body: { ...account, mustAddFactor: true } });
  await user.click(screen.getAllByRole('link', { name: 'My Transfers' })[0]!);
  await screen.findByRole('heading', { name: 'Set up a second factor' });
});

test('signing out everywhere keeps this session, and disables keys by choice', async () => {
  const member = await createMember(server, 'premium');
  const { client, username } = member;
  await client.call(createApiKey, { body: { name: 'Backup' } });
  const response = await fetch(`${server.url}${login.path}`, {
    method: login.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  expect(response.status).toBe(200);
  const user = renderPage(PAGES.settingsSecurity, { as: member });
  await user.click(await screen.findByRole('button', { name: 'Sign out all others' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Sign out all other devices?' }));
  await user.click(dialog.getByLabelText('Disable API keys'));
  await user.click(dialog.getByRole('button', { name: 'Sign out all others' }));
  await expectToast('Signed out', 'All other devices have been signed out.');
  await waitFor(async () => expect(await client.call(listSessions)).toHaveLength(1));
  expect((await client.call(listApiKeys))[0]!.disabledReason).toBe('signed-out');
});
