import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { listFactors } from '../../../../contracts/accounts/sign-in/factors.ts';
import {
  beginLinkIdentity,
  beginSsoConfirmation,
  listIdentities,
  listSignInProviders,
  unlinkIdentity,
} from '../../../../contracts/accounts/sign-in/single-sign-on.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  renderAsMember,
  screen,
  sentTo,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const NORDLICHT = { id: 'provider-1', name: 'Nordlicht' };
const IDENTITY = {
  id: 'identity-1',
  provider: NORDLICHT,
  isUsable: true,
  email: 'nora@example.org',
  createdAt: '2026-01-05T10:00:00.000Z',
  lastUsedAt: null,
};
const STEP_UP = { status: 403, title: 'Confirm', detail: 'Confirm', code: 'step_up_required' };
let assign: MockInstance;

beforeEach(() => {
  assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
});
afterEach(() => assign.mockRestore());

function answerLists({ identities = [] as object[], providers = [NORDLICHT] }): void {
  answerOnce(listSignInProviders, { status: 200, body: providers });
  answerOnce(listIdentities, { status: 200, body: identities });
}

test('where there are no providers, the section is missing', async () => {
  answerLists({ providers: [] });
  await renderAsMember(PAGES.settingsSecurity, 'free');
  await screen.findByRole('list', { name: 'Sessions' });
  expect(screen.queryByRole('heading', { name: 'Sign-in providers' })).toBeNull();
});

test('linking opens the provider', async () => {
  answerLists({});
  answerOnce(beginLinkIdentity, { status: 200, body: { url: 'https://login.example.org/authorize' } });
  const { user } = await renderAsMember(PAGES.settingsSecurity, 'free');
  await user.click(await screen.findByRole('button', { name: 'Link Nordlicht' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://login.example.org/authorize'));
  expect(await sentTo(beginLinkIdentity)).toEqual([{ providerId: NORDLICHT.id }]);
});

test('the result of linking is told, and leaves the address', async () => {
  answerOnce(listSignInProviders, { status: 200, body: [NORDLICHT] });
  await renderAsMember(`${PAGES.settingsSecurity}?sso=linked&provider=provider-1`, 'free');
  await expectToast('Sign-in linked', 'You can now sign in with Nordlicht.');
  await expectPath(PAGES.settingsSecurity);
});

test('a refusal of linking is told as a failure', async () => {
  answerOnce(listSignInProviders, { status: 200, body: [NORDLICHT] });
  await renderAsMember(`${PAGES.settingsSecurity}?sso=linked-elsewhere&provider=provider-1`, 'free');
  await expectToast("That didn't work", 'This sign-in of Nordlicht is linked to another account already.');
});

test('the last way to sign in stays linked, with the reason', async () => {
  answerLists({ identities: [IDENTITY] });
  const { user } = await renderAsMember(PAGES.settingsSecurity, 'free');
  const list = within(await screen.findByRole('list', { name: 'Sign-in providers' }));
  list.getByText('nora@example.org');
  list.getByText('Never used');
  expect(screen.queryByRole('button', { name: 'Link Nordlicht' })).toBeNull();
  const detail = 'This is your only way to sign in. Set a password first.';
  answerOnce(unlinkIdentity, {
    status: 409,
    body: { status: 409, title: 'Last', detail, code: 'last_sign_in' },
  });
  answerOnce(listIdentities, { status: 200, body: [IDENTITY] });
  await user.click(list.getByRole('button', { name: 'Unlink Nordlicht' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Unlink Nordlicht?' }));
  await user.click(question.getByRole('button', { name: 'Unlink' }));
  await expectToast('Not unlinked', `409: ${detail}`);
  list.getByText('nora@example.org');
});

test('an account without password confirms through its provider', async () => {
  answerLists({ identities: [IDENTITY] });
  const factors = { hasPassword: false, passkeys: [], app: null, recoveryCodes: 0 };
  // The page asks for the factors too. The dialog joins that request if it has not been answered yet.
  answerOnce(listFactors, { status: 200, body: factors });
  const { user } = await renderAsMember(PAGES.settingsSecurity, 'free');
  await screen.findByRole('list', { name: 'Sign-in providers' });
  answerOnce(unlinkIdentity, { status: 403, body: STEP_UP });
  answerOnce(listFactors, { status: 200, body: factors });
  answerOnce(listIdentities, { status: 200, body: [IDENTITY] });
  answerOnce(beginSsoConfirmation, { status: 200, body: { url: 'https://login.example.org/confirm' } });
  await user.click(screen.getByRole('button', { name: 'Unlink Nordlicht' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Unlink Nordlicht?' }));
  await user.click(question.getByRole('button', { name: 'Unlink' }));
  const dialog = within(await screen.findByRole('dialog', { name: "Confirm it's you" }));
  await dialog.findByText(/text you haven't saved is lost/);
  expect(dialog.queryByLabelText('Password')).toBeNull();
  await user.click(dialog.getByRole('button', { name: 'Confirm with Nordlicht' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://login.example.org/confirm'));
  expect(await sentTo(beginSsoConfirmation)).toEqual([
    { identityId: IDENTITY.id, returnTo: PAGES.settingsSecurity },
  ]);
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
