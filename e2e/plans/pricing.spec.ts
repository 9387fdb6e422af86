import type { Page } from '@playwright/test';
import { getSubscription } from '../../contracts/plans/billing.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { GIB } from '../../contracts/values/sizes.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { changePlans, choosePlan, seedCoupon, subscribe } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';

const PRICING = PAGES.pricing;

test('the pricing page has a header, a title, three cards, Popular and dollar prices per month', async ({
  visitorPage: page,
}) => {
  await page.goto(PRICING);
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Pricing' })).toHaveAttribute('href', '/pricing');
  await expect(header.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
  await expect(header.getByRole('link', { name: 'Sign In' })).toHaveAttribute('href', '/auth');
  await expect(page.getByRole('heading', { name: 'Choose Your Plan', level: 1 })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(plan(page, 'Pro').getByText('Popular')).toBeVisible();
  await expect(page.getByText('Popular')).toHaveCount(1);
  await expect(plan(page, 'Free').getByText('$0', { exact: true })).toBeVisible();
  await expect(plan(page, 'Free').getByText('/month')).toHaveCount(0);
  await expect(plan(page, 'Pro')).toContainText('$9.99/month');
  await expect(plan(page, 'Premium')).toContainText('$24.99/month');
});

test('sizes, days and prices follow the current configuration', { tag: '@all' }, async ({
  ownServer,
  visitorPage: page,
}) => {
  changePlans(ownServer, {
    free: { storagePerTransfer: 2 * GIB, monthlyTotal: 4 * GIB, retentionDays: 1 },
    pro: { price: 0 },
    premium: { price: 30 },
  });
  await page.goto(ownServer.url + PRICING);
  await expect(plan(page, 'Free').getByText('2 GB per transfer')).toBeVisible();
  await expect(plan(page, 'Free').getByText('4 GB per month')).toBeVisible();
  await expect(plan(page, 'Free').getByText('1 day retention')).toBeVisible();
  await expect(plan(page, 'Pro').getByText('$0', { exact: true })).toBeVisible();
  await expect(plan(page, 'Pro').getByText('/month')).toHaveCount(0);
  await expect(plan(page, 'Premium')).toContainText('$30/month');
});

test.describe('a free user', () => {
  test.use({ tier: 'free' });

  test('choosing a plan opens a dialog with the payment form; closing it clears the choice', async ({
    memberPage: page,
    member,
  }) => {
    const dialog = await choosePlan(page, 'Pro');
    await expect(dialog.getByRole('heading', { name: 'Complete Your Subscription' })).toBeVisible();
    await expect(dialog.getByTestId('price-summary')).toContainText('$9.99');
    await expect(dialog.getByText('Demo: no real payment. Use 4242 4242 4242 4242.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Subscribe Now' })).toBeVisible();
    await expect(page).toHaveURL(/plan=pro/);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(PRICING);
    const button = page.getByRole('button', { name: 'Subscribe to Pro' });
    await expect(button).toBeFocused();
    await expect(button).not.toHaveAttribute('aria-busy');
    await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
    await expect(dialog.getByTestId('price-summary')).toContainText('$24.99');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    expect((await member.client.call(getSubscription)).tier).toBe('free');
  });

  test('a plan can be bought using only the keyboard', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(PRICING);
    await page.getByRole('button', { name: 'Subscribe to Pro' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();
    await tabTo(page, 'Card number');
    await page.keyboard.type('4242424242424242');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1234');
    await page.keyboard.press('Tab');
    await page.keyboard.type('123');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/dashboard');
    await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  });

  test('the pricing page and its dialogs are accessible in both themes and widths', { tag: '@all' }, async ({
    server,
    member,
    memberPage: page,
  }) => {
    test.setTimeout(120_000);
    await page.goto(PRICING);
    await expect(page.getByRole('article')).toHaveCount(3);
    await expectAccessible(page, 'pricing');
    const dialog = await choosePlan(page, 'Pro');
    await dialog.getByLabel('Coupon code').fill(seedCoupon(server, { discountPercent: 20, freeMonths: 1 }));
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect(dialog.getByRole('button', { name: 'Remove coupon' })).toBeVisible();
    await dialog.getByRole('button', { name: 'Subscribe Now' }).click();
    await expectAccessible(page, 'payment dialog');
    await subscribe(member, 'premium');
    await page.goto(PRICING);
    await page.getByRole('button', { name: 'Subscribe to Pro' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expectAccessible(page, 'change dialog');
  });
});

test('the landing page, the footer and the settings link to the pricing page', { tag: '@all' }, async ({
  memberPage: page,
  visitorPage,
}) => {
  await visitorPage.goto('/');
  await visitorPage.getByRole('banner').getByRole('link', { name: 'Pricing' }).click();
  await expect(visitorPage.getByRole('heading', { name: 'Choose Your Plan' })).toBeVisible();
  await page.goto(PAGES.settingsPlan);
  await page.getByRole('link', { name: 'Change plan' }).click();
  await expect(page.getByRole('heading', { name: 'Choose Your Plan' })).toBeVisible();
});

function plan(page: Page, name: string) {
  return page.getByRole('article', { name, exact: true });
}

async function tabTo(page: Page, label: string): Promise<void> {
  const target = page.getByLabel(label);
  for (let presses = 0; presses < 10; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}
