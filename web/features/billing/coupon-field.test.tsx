import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { createSubscription, getSubscription } from '../../../contracts/plans/billing.ts';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { CARDS, seedCoupon } from '../../../e2e/actions/billing.ts';
import {
  expectPath,
  expectToast,
  fill,
  holdCall,
  renderAsMember,
  renderPage,
  resetPage,
  screen,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

test('free months: nothing is due today, and the first charge has a date', async () => {
  const { user, member } = await renderAsMember(PAGES.pricing, 'free');
  const dialog = await choosePlan(user, 'Premium');
  await apply(user, dialog, seedCoupon(server, { freeMonths: 2, tier: 'premium' }));
  const summary = dialog.getByTestId('price-summary');
  await waitFor(() => expect(summary.textContent).toContain('2 months free'));
  expect(summary.textContent).toContain('Due today$0.00');
  await pay(user, dialog);
  await expectToast('Payment Successful', 'Welcome to your new plan!');
  const { status, freeUntil } = await member.client.call(getSubscription);
  expect(status).toBe('trialing');
  resetPage();
  renderPage(PAGES.settingsPlan, { as: member });
  const plan = await screen.findByTestId('plan');
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(Date.parse(freeUntil!));
  expect(plan.textContent).toContain(`Free until ${day}`);
  expect(plan.textContent).toContain('First charge on');
  await screen.findByText('No invoices yet.');
});

test('a refused coupon is explained at its field', async () => {
  const { user } = await renderAsMember(PAGES.pricing, 'free');
  const refusals = [
    ['', 'Please enter a coupon code'],
    ['NOSUCHCOUPON', 'This coupon is not valid.'],
    [seedCoupon(server, { discountPercent: 5, expiresAt: Date.now() - 1 }), 'This coupon has expired.'],
    [seedCoupon(server, { discountPercent: 5, maxUses: 1, currentUses: 1 }), 'This coupon has been used up.'],
    [seedCoupon(server, { discountPercent: 5, tier: 'premium' }), 'This coupon is for the Premium plan.'],
  ] as const;
  const dialog = await choosePlan(user, 'Pro');
  for (const [code, sentence] of refusals) {
    await apply(user, dialog, code);
    const field = await dialog.findByRole('textbox', {
      name: /^Coupon code/,
      description: new RegExp(sentence),
    });
    expect(field.getAttribute('aria-invalid')).toBe('true');
  }
  // The earlier payment is still open.
  await pay(user, dialog);
  await expectPath('/dashboard');
});

test('if another user takes the coupon first, the plan can be paid without it', async () => {
  const { user, member } = await renderAsMember(PAGES.pricing, 'free');
  const code = seedCoupon(server, { discountPercent: 50, maxUses: 1 });
  const dialog = await choosePlan(user, 'Pro');
  const release = holdCall(createSubscription);
  await apply(user, dialog, code);
  server.withDatabase((database) =>
    database.prepare('UPDATE coupons SET "currentUses" = 1 WHERE code = ?').run(code),
  );
  release();
  await dialog.findByText('This coupon has been used up.');
  await pay(user, dialog);
  await expectPath('/dashboard');
  expect(await member.client.call(getSubscription)).toMatchObject({ tier: 'pro', nextChargeCents: 999 });
});

type Dialog = ReturnType<typeof within<typeof import('@testing-library/react').queries>>;

async function choosePlan(user: UserEvent, name: 'Pro' | 'Premium'): Promise<Dialog> {
  await user.click(await screen.findByRole('button', { name: `Subscribe to ${name}` }));
  return within(await screen.findByRole('dialog'));
}

async function apply(user: UserEvent, dialog: Dialog, code: string): Promise<void> {
  await fill(user, dialog.getByRole('textbox', { name: /^Coupon code/ }), code);
  await user.click(dialog.getByRole('button', { name: 'Apply' }));
}

async function pay(user: UserEvent, dialog: Dialog): Promise<void> {
  await fill(user, await dialog.findByLabelText('Card number'), CARDS.pays);
  await fill(user, dialog.getByLabelText('Expiry'), '12/34');
  await fill(user, dialog.getByLabelText('CVC'), '123');
  await user.click(dialog.getByRole('button', { name: 'Subscribe Now' }));
}
