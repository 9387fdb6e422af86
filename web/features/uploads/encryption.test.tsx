import { expect, test } from 'vitest';
import { getTierConfig, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { sendSealedTransfer } from '../../../testing/uploads/sealed-transfers.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import {
  answerOnce,
  expectToast,
  renderAsMember,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

const SWITCH = { name: 'End-to-end encrypted' };

/** An administrator would set it for all tests of this server. */
async function decide(encryption: TierConfig['free']['encryption']): Promise<void> {
  const tiers = await server.anonymous().call(getTierConfig);
  const decided = { ...tiers, premium: { ...tiers.premium, encryption } };
  answerOnce(getTierConfig, { body: decided, headers: { 'content-type': 'application/json' } });
}

test('encryption is an option, and the summary names it', async () => {
  const { user } = await renderAsMember(PAGES.upload);
  await user.click(await screen.findByRole('button', { name: /^Options/ }));
  await user.click(await screen.findByRole('switch', SWITCH));
  await waitFor(() =>
    expect(screen.getByTestId('share-summary').textContent).toMatch(/^End-to-end encrypted/),
  );
  screen.getByText('It becomes part of the key and is never sent to the server, so nobody can reset it.');
  await user.click(screen.getByRole('tab', { name: 'Email' }));
  await screen.findByText('They are told by email, but the email has no key. Send them the key yourself.');
});

test('a plan may require encryption', async () => {
  await decide('required');
  const { user } = await renderAsMember(PAGES.upload);
  await user.click(await screen.findByRole('button', { name: /^Options/ }));
  await screen.findByText(/^Every transfer is end-to-end encrypted here\./);
  expect(screen.queryByRole('switch', SWITCH)).toBeNull();
  expect(screen.getByTestId('share-summary').textContent).toMatch(/^End-to-end encrypted/);
});

test('a plan may forbid encryption', async () => {
  await decide('forbidden');
  const { user } = await renderAsMember(PAGES.upload);
  await screen.findByTestId('share-summary');
  await user.click(screen.getByRole('button', { name: /^Options/ }));
  await screen.findByLabelText('Expiration days');
  expect(screen.queryByRole('switch', SWITCH)).toBeNull();
});

test('without its key an encrypted transfer has no name, no link and no room for more files', async () => {
  keepDatabasesInMemory();
  const member = await createMember(server, 'premium');
  const { id } = await sendSealedTransfer(member.client, { sizes: [1_000] });
  const user = renderPage(PAGES.dashboard, { as: member });
  const card = within(await screen.findByRole('article', { name: /^Encrypted, 1 file, / }));
  await user.click(card.getByRole('button', { name: 'Copy Link' }));
  await expectToast('The key is not in this browser');
  await user.click(card.getByRole('link', { name: 'View Details' }));
  await screen.findByText(/^The key of this transfer is not in this browser\./);
  screen.getByText('Encrypted file 1');
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  await screen.findByText(/^This transfer is end-to-end encrypted\. Its title/);
  expect(screen.queryByRole('textbox', { name: /^Title/ })).toBeNull();
  expect(id).toBeTruthy();
});
