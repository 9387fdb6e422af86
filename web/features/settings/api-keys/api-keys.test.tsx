import { expect, test } from 'vitest';
import { getCurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { createApiKey } from '../../../../contracts/accounts/api-keys.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import {
  expectToast,
  fill,
  renderAsMember,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const SECTION = PAGES.settingsApiKeys;

test('a key needs a name and at least one scope', async () => {
  const { user } = await renderAsMember(SECTION, 'pro');
  const section = await findSection();
  await user.click(await section.findByRole('button', { name: 'Create Key' }));
  const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
  await user.click(form.getByRole('button', { name: 'Create Key' }));
  await form.findByText('Please give the key a name.');
  await user.click(form.getByLabelText('Read'));
  await user.click(form.getByLabelText('Write'));
  await form.findByText('Please choose at least one.');
  await user.click(form.getByLabelText('Read'));
  await waitFor(() => expect(form.queryByText('Please choose at least one.')).toBeNull());
});

test('an account can have at most twenty keys', async () => {
  const member = await createMember(server, 'pro');
  for (let made = 0; made < 20; made += 1)
    await member.client.call(createApiKey, { body: { name: `Key ${made}` } });
  const user = renderPage(SECTION, { as: member });
  const section = await findSection();
  await waitFor(() => expect(section.getAllByRole('listitem')).toHaveLength(20));
  await user.click(section.getByRole('button', { name: 'Create Key' }));
  const form = within(await screen.findByRole('dialog', { name: 'Create API key' }));
  await fill(user, form.getByLabelText('Name'), 'One more');
  await user.keyboard('{Enter}');
  await expectToast('Error', '409: You have 20 API keys. Please delete one of them first.');
  screen.getByRole('dialog', { name: 'Create API key' });
});

test('after a downgrade to free, keys are inactive but can be deleted', async () => {
  const member = await createMember(server, 'pro');
  const { key } = await member.client.call(createApiKey, { body: { name: 'Laptop' } });
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET tier = ? WHERE username = ?').run('free', member.username),
  );
  const headers = { authorization: `Bearer ${key}` };
  expect((await server.anonymous().fetch(getCurrentUser.path, { headers })).status).toBe(402);
  const user = renderPage(SECTION, { as: member });
  const section = await findSection();
  await section.findByText(/Your existing keys are paused\./);
  expect(section.queryByRole('switch')).toBeNull();
  await user.click(await section.findByRole('button', { name: 'Delete Laptop' }));
  const question = within(await screen.findByRole('alertdialog'));
  await user.click(question.getByRole('button', { name: 'Delete key' }));
  await waitFor(() => expect(section.queryByText(/The keys you made/)).toBeNull());
});

async function findSection() {
  return within(await screen.findByRole('region', { name: 'API keys' }));
}
