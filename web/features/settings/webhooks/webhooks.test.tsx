import { expect, test } from 'vitest';
import { listWebhooks } from '../../../../contracts/accounts/webhooks.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
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

test('each service has its own fields, and its address is checked', async () => {
  const { user, member } = await renderAsMember(PAGES.settingsWebhooks);
  const section = within(await screen.findByRole('region', { name: 'Webhooks' }));
  await section.findByText('You have no webhooks yet.');
  await user.click(section.getByRole('button', { name: 'Create Webhook' }));
  const form = within(await screen.findByRole('dialog', { name: 'Create webhook' }));
  const create = form.getByRole('button', { name: 'Create Webhook' });
  const choice = form.getByLabelText('Send to');
  await user.selectOptions(choice, 'Slack');
  expect(form.queryByLabelText('App token')).toBeNull();
  await fill(user, form.getByLabelText('Webhook URL'), 'https://example.com/services/a/b/c');
  await user.click(create);
  await form.findByText(/Please enter the webhook URL of Slack/);
  await user.selectOptions(choice, 'Gotify');
  await fill(user, form.getByLabelText('Server'), 'https://93.184.216.34/');
  await user.click(create);
  await form.findByText('Please enter the token of the app that you created in Gotify.');
  await fill(user, form.getByLabelText('App token'), 'AbCdEfGh');
  await user.click(create);
  const row = within(await section.findByRole('listitem', { name: 'Gotify' }));
  row.getByText('https://93.184.216.34/message');
  expect(row.queryByRole('button', { name: 'Secret' })).toBeNull();
  const [created] = await member.client.call(listWebhooks);
  expect(created).toMatchObject({ format: 'gotify', hasAccessToken: true });

  await user.click(row.getByRole('button', { name: 'Edit Gotify' }));
  const edit = within(await screen.findByRole('dialog', { name: 'Edit webhook' }));
  await fill(user, edit.getByLabelText('Description'), 'Phone');
  await user.click(edit.getByRole('button', { name: 'Save' }));
  const renamed = within(await section.findByRole('listitem', { name: 'Phone' }));
  renamed.getByText('Gotify');
  const [saved] = await member.client.call(listWebhooks);
  expect(saved).toEqual({ ...created, description: 'Phone' });
});
