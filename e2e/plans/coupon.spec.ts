import { getSubscription } from '../../contracts/plans/billing.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { CARDS, choosePlan, payWith, seedCoupon } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';

test.use({ tier: 'free' });

test('a coupon shows its price, can be removed, and applies as long as promised', { tag: '@all' }, async ({
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
  await page.goto(PAGES.settingsPlan);
  await expect(page.getByTestId('plan')).toContainText('$7.99 a month');
});
