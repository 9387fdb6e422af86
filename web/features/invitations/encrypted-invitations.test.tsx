import { expect, test } from 'vitest';
import { getCurrentUser } from '../../../contracts/accounts/accounts.ts';
import { getTierConfig, type TierConfig } from '../../../contracts/plans/tiers.ts';
import { createInvitation, listInvitations } from '../../../contracts/transfers/uploads/invitations.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { parseInboxKey } from '../../../encryption/inbox-link.ts';
import { listInboxes } from '../../key-ring/inbox-keys.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import {
  answerOnce,
  expectToast,
  renderAsMember,
  renderPage,
  screen,
  sentTo,
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

async function openForm() {
  const opened = await renderAsMember(PAGES.invitations);
  await opened.user.click(await screen.findByRole('button', { name: 'Create Your First Invitation' }));
  const form = within(await screen.findByRole('dialog', { name: 'Create upload invitation' }));
  return { ...opened, form };
}

test('the link of an encrypted invitation has the public key, and the private one stays here', async () => {
  keepDatabasesInMemory();
  const { user, member, form } = await openForm();
  await user.click(await form.findByRole('switch', SWITCH));
  await user.click(form.getByRole('button', { name: 'Create Invitation' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Invitation link' }));
  const [stored] = await member.client.call(listInvitations);
  expect(stored?.encryption).toBe('e2e-1');
  const link = dialog.getByRole<HTMLTextAreaElement>('textbox', { name: 'Invitation link' }).value;
  const [inbox] = await listInboxes((await member.client.call(getCurrentUser)).id);
  expect(inbox?.invitationId).toBe(stored?.id);
  expect(link).toBe(`${server.url}/upload/${stored!.token}#k1.${inbox!.publicKey}`);
  expect(parseInboxKey(link)).toBe(inbox!.publicKey);
  dialog.getByText(/^Only this browser can open what arrives/);
  const sent = JSON.stringify(await sentTo(createInvitation));
  expect(sent).not.toContain(inbox!.publicKey);
  expect(sent).not.toContain(inbox!.privateKey);
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  const card = within(await screen.findByRole('article', { name: stored!.title }));
  card.getByText('End-to-end encrypted');
  card.getByText(link);
  card.getByRole('button', { name: 'QR code' });
});

test('without its key, the card of an encrypted invitation says where the link is', async () => {
  keepDatabasesInMemory();
  const member = await createMember(server, 'premium');
  await member.client.call(createInvitation, { body: { title: 'Sealed', encryption: 'e2e-1' } });
  renderPage(PAGES.invitations, { as: member });
  const card = within(await screen.findByRole('article', { name: 'Sealed' }));
  await waitFor(() => card.getByText(/^The key of this invitation is not in this browser/));
  card.getByRole('link', { name: 'import its keys' });
  expect(card.queryByRole('button', { name: 'Copy Link' })).toBeNull();
  expect(card.queryByRole('button', { name: 'QR code' })).toBeNull();
});

test('no invitation is created if the browser cannot keep its key', async () => {
  const { user, member, form } = await openForm();
  await user.click(await form.findByRole('switch', SWITCH));
  await user.click(form.getByRole('button', { name: 'Create Invitation' }));
  await expectToast('The key could not be stored');
  expect(await member.client.call(listInvitations)).toEqual([]);
});

test('a plan may forbid encrypted invitations', async () => {
  await decide('forbidden');
  const { form, user } = await openForm();
  await form.findByRole('switch', { name: 'Also limit the total' });
  expect(form.queryByRole('switch', SWITCH)).toBeNull();
  await user.click(form.getByRole('button', { name: 'Cancel' }));
});

test('where a plan requires encryption, every new invitation has it', async () => {
  keepDatabasesInMemory();
  await decide('required');
  const { form, user, member } = await openForm();
  await form.findByText(/^Every invitation asks for end-to-end encrypted files here/);
  await user.click(form.getByRole('button', { name: 'Create Invitation' }));
  await screen.findByRole('dialog', { name: 'Invitation link' });
  const [stored] = await member.client.call(listInvitations);
  expect(stored?.encryption).toBe('e2e-1');
});
