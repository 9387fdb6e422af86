import { expect, test } from 'vitest';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { createAdmin } from '../../../e2e/actions/people.ts';
import { renderAsMember, renderPage, resetPage, screen, server } from '../../testing/render-page.tsx';

test('administrators are told that no mail server is set, and nobody else', async () => {
  renderPage(PAGES.dashboard, { as: await createAdmin(server) });
  const warning = await screen.findByRole('region', { name: 'No mail server' });
  expect(warning.querySelector('a')?.getAttribute('href')).toBe(`${PAGES.adminSystem}#checks`);
  resetPage();
  await renderAsMember(PAGES.dashboard);
  await screen.findByText('No transfers yet');
  expect(screen.queryByRole('region', { name: 'No mail server' })).toBeNull();
});
