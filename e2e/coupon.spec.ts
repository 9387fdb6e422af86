import { createSubscription, getSubscription } from '../contracts/billing.ts';
import { PAGES } from '../contracts/pages.ts';
import { CARDS, choosePlan, dayOf, payWith, seedCoupon } from './billing-actions.ts';
import { expect, test } from './fixtures.ts';
import { expectToast } from './upload-actions.ts';

test.use({ tier: 'free' });

test('a coupon shows its price at once, can be removed, and lasts', async ({
  server,
  member,
  memberPage: page,
}) => {
  const code = seedCoupon(server, { discountPercent: 20 });
  const dialog = await choosePlan(page, 'Pro');
  await dialog.getByLabel('Coupon code').pressSequentially(code.toLowerCase());
  await expect(dialog.getByLabel('Coupon code')).toHaveValue(code);
  await page.keyboard.press('Enter');
  const summary = dialog.getByTestId('price-summary');
  await expect(summary).toContainText('$7.99/month');
  await expect(summary.locator('s')).toHaveText('$9.99');
  await expect(summary).toContainText('Due today$7.99');
  await expect(dialog.getByRole('button', { name: 'Remove coupon' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(summary).toContainText('Due today$9.99');
  await expect(dialog.getByLabel('Coupon code')).toBeFocused();
  await dialog.getByLabel('Coupon code').fill(code);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(summary).toContainText('Due today$7.99');
  await payWith(page, CARDS.pays);
  await expect(page).toHaveURL('/dashboard');
  expect(await member.client.call(getSubscription)).toMatchObject({
    tier: 'pro',
    discountPercent: 20,
    nextChargeCents: 799,
  });
  await page.goto(`${PAGES.settings}#plan`);
  await expect(page.getByTestId('plan')).toContainText('$7.99 a month');
});

test('free months: nothing is due today, and the first charge has a date', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  const code = seedCoupon(server, { freeMonths: 2, tier: 'premium' });
  const dialog = await choosePlan(page, 'Premium');
  await dialog.getByLabel('Coupon code').fill(code);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  const summary = dialog.getByTestId('price-summary');
  await expect(summary).toContainText('2 months free');
  await expect(summary).toContainText('Due today$0.00');
  await payWith(page, CARDS.pays);
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  const { status, freeUntil } = await member.client.call(getSubscription);
  expect(status).toBe('trialing');
  await page.goto(`${PAGES.settings}#plan`);
  await expect(page.getByTestId('plan')).toContainText(`Free until ${dayOf(freeUntil!)}`);
  await expect(page.getByTestId('plan')).toContainText('First charge on');
  await expect(page.getByText('No invoices yet.')).toBeVisible();
});

test('what is wrong with a coupon is said at its field', { tag: '@all' }, async ({
  server,
  memberPage: page,
}) => {
  const refusals = [
    ['', 'Please enter a coupon code'],
    ['NOSUCHCOUPON', 'This coupon is not valid.'],
    [seedCoupon(server, { discountPercent: 5, expiresAt: Date.now() - 1 }), 'This coupon has expired.'],
    [seedCoupon(server, { discountPercent: 5, maxUses: 1, currentUses: 1 }), 'This coupon has been used up.'],
    [seedCoupon(server, { discountPercent: 5, tier: 'premium' }), 'This coupon is for the Premium plan.'],
  ] as const;
  const dialog = await choosePlan(page, 'Pro');
  const field = dialog.getByLabel('Coupon code');
  for (const [code, sentence] of refusals) {
    await field.fill(code);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect(field).toHaveAccessibleDescription(new RegExp(sentence));
    await expect(field).toHaveAttribute('aria-invalid', 'true');
  }
  // The payment begun before still stands.
  await payWith(page, CARDS.pays);
  await expect(page).toHaveURL('/dashboard');
});

test('a coupon that is taken by somebody else in between leaves the plan to be paid without it', {
  tag: '@all',
}, async ({ server, memberPage: page, member }) => {
  const code = seedCoupon(server, { discountPercent: 50, maxUses: 1 });
  const dialog = await choosePlan(page, 'Pro');
  await page.route(createSubscription.path, async (route) => {
    server.withDatabase((database) =>
      database.prepare('UPDATE coupons SET "currentUses" = 1 WHERE code = ?').run(code),
    );
    await route.continue();
  });
  await dialog.getByLabel('Coupon code').fill(code);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(dialog.getByText('This coupon has been used up.')).toBeVisible();
  await payWith(page, CARDS.pays);
  await expect(page).toHaveURL('/dashboard');
  expect(await member.client.call(getSubscription)).toMatchObject({ tier: 'pro', nextChargeCents: 999 });
});
