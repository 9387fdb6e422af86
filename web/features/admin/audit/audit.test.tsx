import { expect, test } from 'vitest';
import { createUser } from '../../../../contracts/admin/users.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin, inventPerson, PASSWORD } from '../../../../e2e/actions/people.ts';
import { renderPage, screen, server } from '../../../testing/render-page.tsx';

test('an entry is one line until its details are opened, by keyboard too', async () => {
  const admin = await createAdmin(server);
  const { username, email } = inventPerson();
  await admin.client.call(createUser, { body: { username, email, password: PASSWORD } });
  const user = renderPage(`${PAGES.adminAudit}?search=${username}`, { as: admin });
  const details = await screen.findByRole('button', { name: `Details of Created user ${username}` });
  expect(details.getAttribute('aria-expanded')).toBe('false');
  expect(screen.queryByText('From')).toBeNull();
  details.focus();
  await user.keyboard('{Enter}');
  expect(details.getAttribute('aria-expanded')).toBe('true');
  await screen.findByText('From');
  screen.getByText(`email: ${email}`);
  await user.keyboard('{Enter}');
  expect(screen.queryByText('From')).toBeNull();
});
