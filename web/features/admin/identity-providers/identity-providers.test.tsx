import { expect, test } from 'vitest';
import {
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  updateIdentityProvider,
} from '../../../../contracts/admin/identity-providers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin } from '../../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectToast,
  fill,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const ISSUER = 'https://login.example.org';

test('a provider is added, changed without its secret, required after a warning, and deleted', async () => {
  const admin = await createAdmin(server);
  const user = renderPage(PAGES.adminSingleSignOn, { as: admin });
  await user.click(await screen.findByRole('button', { name: 'Add provider' }));
  const adding = within(await screen.findByRole('dialog', { name: 'Add a sign-in provider' }));
  await user.click(adding.getByRole('button', { name: 'Add provider' }));
  await adding.findByText('Please enter the issuer.');
  adding.getByText('Please enter the client ID.');
  await fill(user, adding.getByLabelText('Issuer'), ISSUER);
  await fill(user, adding.getByLabelText('Client ID'), 'sendwell');
  await fill(user, adding.getByLabelText('Client secret'), 'a secret');
  await fill(user, adding.getByLabelText('Name on the button'), 'Nordlicht');
  await user.click(adding.getByRole('switch', { name: 'Required for its domains' }));
  await user.click(adding.getByRole('switch', { name: 'Turned on' }));
  await user.click(adding.getByRole('button', { name: 'Add provider' }));
  await adding.findByText('Please enter at least one domain');
  await fill(user, adding.getByLabelText('Email domains'), 'nordlicht.example, Example.net');
  await user.click(adding.getByRole('button', { name: 'Add provider' }));
  await expectToast('Provider added', 'Nordlicht is turned off.');
  expect(await sentTo(createIdentityProvider)).toEqual([
    {
      issuer: ISSUER,
      clientId: 'sendwell',
      clientSecret: 'a secret',
      name: 'Nordlicht',
      domains: ['nordlicht.example', 'Example.net'],
      mayCreateAccounts: false,
      isRequiredForDomains: true,
      trustsSecondFactor: false,
      isEnabled: false,
    },
  ]);

  const card = within(await screen.findByRole('article', { name: 'Nordlicht' }));
  card.getByText('Has a secret');
  card.getByText('_sendwell.nordlicht.example');
  await user.click(card.getByRole('button', { name: 'Edit Nordlicht' }));
  const editing = within(await screen.findByRole('dialog', { name: 'Edit Nordlicht' }));
  expect(editing.getByLabelText<HTMLInputElement>('Issuer').readOnly).toBe(true);
  expect(editing.getByLabelText<HTMLInputElement>('Client secret').value).toBe('');
  await user.click(editing.getByRole('switch', { name: 'Turned on' }));
  await user.click(editing.getByRole('button', { name: 'Save changes' }));
  const warning = within(await screen.findByRole('alertdialog', { name: 'Require Nordlicht?' }));
  warning.getByText('nordlicht.example, example.net');
  expect(await sentTo(updateIdentityProvider)).toEqual([]);
  await user.click(warning.getByRole('button', { name: 'Require it' }));
  await expectToast('Provider changed', 'The changes of Nordlicht apply now.');
  const [change] = (await sentTo(updateIdentityProvider)) as object[];
  expect(change).toMatchObject({ isEnabled: true, isRequiredForDomains: true });
  expect(change).not.toHaveProperty('clientSecret');
  expect(change).not.toHaveProperty('issuer');

  await user.click(await card.findByRole('button', { name: 'Delete Nordlicht' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete Nordlicht?' }));
  question.getByText('No account is linked to it. This cannot be undone.');
  await user.click(question.getByRole('button', { name: 'Delete provider' }));
  await expectToast('Provider deleted', 'Nobody can sign in with Nordlicht any more.');
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull());
  expect((await admin.client.call(listIdentityProviders)).providers).toEqual([]);
});

test('a provider of the environment cannot be changed here', async () => {
  const admin = await createAdmin(server);
  const list = await admin.client.call(listIdentityProviders);
  const provider = {
    id: 'from-the-environment',
    source: 'environment',
    issuer: ISSUER,
    clientId: 'sendwell',
    hasSecret: false,
    name: 'Nordlicht',
    domains: [],
    mayCreateAccounts: true,
    isRequiredForDomains: false,
    trustsSecondFactor: false,
    isEnabled: true,
    linkedAccounts: 3,
    createdAt: null,
    updatedAt: null,
  };
  answerOnce(listIdentityProviders, { status: 200, body: { ...list, providers: [provider] } });
  renderPage(PAGES.adminSingleSignOn, { as: admin });
  const card = within(await screen.findByRole('article', { name: 'Nordlicht' }));
  card.getByText(/comes from the environment variables/);
  card.getByText('3 people linked');
  card.getByText('Public client, no secret');
  card.getByRole('button', { name: 'Test Nordlicht' });
  expect(card.queryByRole('button', { name: 'Edit Nordlicht' })).toBeNull();
  expect(card.queryByRole('button', { name: 'Delete Nordlicht' })).toBeNull();
});

test('the deletion says how many people are linked', async () => {
  const admin = await createAdmin(server);
  const list = await admin.client.call(listIdentityProviders);
  const body = { issuer: ISSUER, clientId: 'counted', clientSecret: null, name: 'Südwind', isEnabled: false };
  const provider = await admin.client.call(createIdentityProvider, { body });
  answerOnce(listIdentityProviders, {
    status: 200,
    body: { ...list, providers: [{ ...provider, linkedAccounts: 12 }] },
  });
  const user = renderPage(PAGES.adminSingleSignOn, { as: admin });
  await user.click(await screen.findByRole('button', { name: 'Delete Südwind' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete Südwind?' }));
  question.getByText(/^12 people are linked to it/);
  await user.click(question.getByRole('button', { name: 'Cancel' }));
  await admin.client.call(deleteIdentityProvider, { params: { id: provider.id } });
});
