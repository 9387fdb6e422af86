import { expect, test } from 'vitest';
import { listWebhooks } from '../../../../contracts/accounts/webhooks.ts';
import { PAGES } from '../../../../contracts/values/pages.ts';
import { fill, renderAsMember, screen, waitFor, within } from '../../../testing/render-page.tsx';

test('a webhook needs an https address and at least one event', async () => {
  const { user, member } = await renderAsMember(PAGES.settingsWebhooks);
  const section = within(await screen.findByRole('region', { name: 'Webhooks' }));
  await section.findByText('You have no webhooks yet.');
  await user.click(section.getByRole('button', { name: 'Create Webhook' }));
  const form = within(await screen.findByRole('dialog', { name: 'Create webhook' }));
  const create = form.getByRole('button', { name: 'Create Webhook' });
  await user.click(create);
  await form.findByText('Please enter an address that begins with https://');
  const address = form.getByLabelText('Address');
  expect(document.activeElement).toBe(address);
  await fill(user, address, 'example.com/hooks');
  await user.click(create);
  form.getByText('Please enter an address that begins with https://');
  await fill(user, address, 'https://example.com/hooks');
  await waitFor(() =>
    expect(form.queryByText('Please enter an address that begins with https://')).toBeNull(),
  );
  for (const event of form.getAllByRole('checkbox')) await user.click(event);
  await user.click(create);
  await form.findByText('Please choose at least one event');
  expect(await member.client.call(listWebhooks)).toEqual([]);
});
