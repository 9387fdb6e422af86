import { expect, test } from 'vitest';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createAdmin } from '../../../../e2e/actions/people.ts';
import { fill, renderPage, screen, server, waitFor, within } from '../../../testing/render-page.tsx';

test('invalid numbers are refused while typing and get no preview', async () => {
  const user = renderPage(PAGES.adminCoupons, { as: await createAdmin(server) });
  await user.click((await screen.findAllByRole('button', { name: 'Create Coupon' }))[0]!);
  const form = within(await screen.findByRole('form', { name: 'Create coupon' }));
  const percent = form.getByLabelText('Discount in percent');
  await fill(user, percent, '20');
  await form.findByText('Gives 20% off on the Pro plan.');
  for (const nonsense of ['101', '2.5', '-1']) {
    await fill(user, percent, nonsense);
    await waitFor(() => expect(percent.getAttribute('aria-invalid')).toBe('true'));
    expect(form.queryByText(/^Gives/)).toBeNull();
  }
  await fill(user, percent, '20');
  await form.findByText('Gives 20% off on the Pro plan.');
  await fill(user, form.getByLabelText('Free months'), '-3');
  await form.findByText('Please enter 0 or more months');
  expect(form.queryByText(/^Gives/)).toBeNull();
});
