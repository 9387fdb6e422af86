import { expect, test } from 'vitest';
import { setUserTier } from '../../../../contracts/admin/users.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin, createMember } from '../../../../e2e/actions/people.ts';
import {
  expectToast,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

test('another plan is only a choice until it is confirmed', async () => {
  const { username } = await createMember(server, 'free');
  const user = renderPage(`${PAGES.adminUsers}?search=${username}`, { as: await createAdmin(server) });
  const plan = await screen.findByLabelText<HTMLSelectElement>(`Plan of ${username}`);
  await user.selectOptions(plan, 'pro');
  const question = await screen.findByRole('alertdialog', { name: 'Change the plan to Pro?' });
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(plan.value).toBe('free');
  expect(await sentTo(setUserTier)).toEqual([]);
  await user.selectOptions(plan, 'premium');
  const again = await screen.findByRole('alertdialog', { name: 'Change the plan to Premium?' });
  await user.click(within(again).getByRole('button', { name: 'Change plan' }));
  await expectToast('Plan changed', `${username} is on the Premium plan.`);
  await waitFor(() => expect(plan.value).toBe('premium'));
  expect(await sentTo(setUserTier)).toEqual([{ tier: 'premium' }]);
});
