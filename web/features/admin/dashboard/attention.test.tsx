import { expect, test } from 'vitest';
import { listJobs } from '../../../../contracts/admin/system.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin } from '../../../../e2e/actions/people.ts';
import { answerOnce, renderPage, screen, server, waitFor } from '../../../testing/render-page.tsx';

test('refreshing the dashboard looks for problems again', async () => {
  answerOnce(listJobs, { status: 503 });
  const user = renderPage(PAGES.adminDashboard, { as: await createAdmin(server) });
  const failure = await screen.findByText(/^Not everything that may need your attention could be loaded\./);
  const refresh = screen.getByRole('button', { name: 'Refresh' });
  await waitFor(() => expect(refresh.getAttribute('aria-busy')).not.toBe('true'));
  await user.click(refresh);
  await waitFor(() => expect(failure.isConnected).toBe(false));
});

test('a check that cannot be loaded is no all-clear', async () => {
  answerOnce(listJobs, { status: 503 });
  const user = renderPage(PAGES.adminDashboard, { as: await createAdmin(server) });
  const failure = await screen.findByText(/^Not everything that may need your attention could be loaded\./);
  expect(screen.queryByText('Nothing needs your attention.')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(failure.isConnected).toBe(false));
});
