import { expect, test, vi } from 'vitest';
import { createPickupCode, getPickupCode } from '../../../contracts/transfers/downloads/pickup.ts';
import { sharePath } from '../../../contracts/values/addresses/links.ts';
import { PAGES, transferPage } from '../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { fill, renderPage, screen, server, within } from '../../testing/render-page.tsx';

const HELLO = [{ fileName: 'a.txt', bytes: Buffer.from('hello') }];

test('a wrong code is named at its field, and a right one leads to the transfer', async () => {
  const member = await createMember(server, 'free');
  const { id, token } = await sendTransfer(member.client, HELLO);
  const { code } = await member.client.call(createPickupCode, { params: { id } });
  const leave = vi.spyOn(window.location, 'assign').mockImplementation(() => {});
  const user = renderPage(PAGES.pickup);
  const field = await screen.findByLabelText('Pickup code', { selector: 'input' });
  const show = screen.getByRole('button', { name: 'Show the files' });
  await user.click(show);
  await screen.findByText('A pickup code has six letters.');
  await fill(user, field, code === 'BBB BBB' ? 'CCC CCC' : 'bbb bbb');
  await user.click(show);
  await screen.findByText(/This code is not valid/);
  await fill(user, field, `${code.slice(0, 3)} ${code.slice(3)}`.toLowerCase());
  await user.click(show);
  await vi.waitFor(() => expect(leave).toHaveBeenCalledWith(sharePath(token)));
});

test('the owner creates a code on the page of the transfer, replaces it and voids it', async () => {
  const member = await createMember(server, 'free');
  const { id } = await sendTransfer(member.client, HELLO);
  const user = renderPage(transferPage(id), { as: member });
  await user.click(await screen.findByRole('button', { name: 'Create Pickup Code' }));
  const section = within(await screen.findByRole('region', { name: 'Pickup code' }));
  const first = section.getByText(/^[A-Z]{3} [A-Z]{3}$/).textContent;
  section.getByText(/Pickup code for .*\/pickup, valid until/);
  await user.click(section.getByRole('button', { name: 'New pickup code' }));
  await vi.waitFor(() => expect(section.getByText(/^[A-Z]{3} [A-Z]{3}$/).textContent).not.toBe(first));
  await user.click(section.getByRole('button', { name: 'Void the pickup code' }));
  await screen.findByRole('button', { name: 'Create Pickup Code' });
  expect(await member.client.call(getPickupCode, { params: { id } })).toEqual({ pickupCode: null });
});
