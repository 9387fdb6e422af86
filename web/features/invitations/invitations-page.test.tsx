import { describe, expect, test } from 'vitest';
import { createInvitation, listInvitations } from '../../../contracts/transfers/uploads/invitations.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import {
  expectToast,
  renderAsMember,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

describe('a new invitation', () => {
  test('needs no typing: Enter in its title creates it, and its link and QR code open', async () => {
    const { user, member } = await renderAsMember(PAGES.invitations);
    await user.click(await screen.findByRole('button', { name: 'Create Your First Invitation' }));
    const title = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
    await waitFor(() => expect(document.activeElement).toBe(title));
    expect(title.value).toBe(`Files for ${member.name}`);
    await user.keyboard('{Enter}');
    await expectToast('Upload invitation created successfully');
    const dialog = await screen.findByRole('dialog', { name: 'Invitation link' });
    const [stored] = await member.client.call(listInvitations);
    const link = within(dialog).getByRole<HTMLTextAreaElement>('textbox', { name: 'Invitation link' });
    expect(link.value).toBe(`${server.url}/upload/${stored!.token}`);
    await within(dialog).findByRole('img', { name: 'QR code of the invitation link' });
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Copy Link'));
    // Escape closes a toast first.
    await user.click(within(dialog).getByRole('button', { name: 'Close' }));
    const create = await screen.findByRole('button', { name: 'Create Invitation' });
    await waitFor(() => expect(document.activeElement).toBe(create));
  });

  test('may limit the total of all visitors, beside the limits per visitor', async () => {
    const { user, member } = await renderAsMember(PAGES.invitations);
    await user.click(await screen.findByRole('button', { name: 'Create Your First Invitation' }));
    const form = await screen.findByRole('dialog', { name: 'Create upload invitation' });
    expect(within(form).queryByLabelText('Files in total')).toBeNull();
    await user.click(within(form).getByRole('switch', { name: 'Also limit the total' }));
    await user.type(within(form).getByLabelText('Files in total'), '500');
    await user.click(within(form).getByRole('button', { name: 'Create Invitation' }));
    const dialog = await screen.findByRole('dialog', { name: 'Invitation link' });
    expect(await sentTo(createInvitation)).toMatchObject([
      { maxFiles: 100, totalFilesLimit: 500, totalBytesLimit: null },
    ]);
    await user.click(within(dialog).getByRole('button', { name: 'Close' }));
    const card = await screen.findByRole('article', { name: `Files for ${member.name}` });
    const facts = within(card)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent);
    expect(facts).toContain('0 of 500up to 100 per visitor');
    expect(facts).toContain('0 Bup to 50 GB per visitor');
  });
});

test('an expired invitation does not look active', async () => {
  const member = await createMember(server, 'premium');
  await member.client.call(createInvitation, { body: { title: 'Over' } });
  server.withDatabase((database) =>
    database.prepare("UPDATE uploadInvitations SET expiresAt = 1 WHERE title = 'Over'").run(),
  );
  renderPage(PAGES.invitations, { as: member });
  const card = within(await screen.findByRole('article', { name: 'Over' }));
  card.getByText('Expired');
  const active = card.getByRole<HTMLInputElement>('switch', { name: 'Active' });
  expect([active.checked, active.disabled]).toEqual([false, true]);
  expect(card.queryByRole('button', { name: 'QR code' })).toBeNull();
  card.getByRole('button', { name: 'Copy Link' });
});
