import type { Page } from '@playwright/test';
import { createSubscription, getSubscription } from '../contracts/billing.ts';
import { PAGES } from '../contracts/pages.ts';
import { GIB } from '../contracts/sizes.ts';
import { getTierConfig } from '../contracts/tiers.ts';
import { expectAccessible } from './accessibility.ts';
import { choosePlan, seedCoupon, subscribe } from './billing-actions.ts';
import { expect, test } from './fixtures.ts';
import { createMember, PASSWORD, signIn } from './people.ts';
import { changePlans } from './plans.ts';
import { expectToast } from './upload-actions.ts';

const PRICING = PAGES.pricing;

test('§2 Pricing page: header, title, three cards, Popular, prices in dollars with /month above zero', async ({
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

test('§2 Feature lists: what each plan adds', async ({ visitorPage: page }) => {
  await page.goto(PRICING);
  const lists = {
    Free: [
      ...['5 GB per transfer', '10 GB per month', '3 days retention'],
      ...['Email notifications', 'Basic download tracking', 'Standard file expiration'],
    ],
    Pro: [
      ...['10 GB per transfer', '100 GB per month', '30 days retention', 'Download limits up to 1,000'],
      ...['Password protection', 'Download limit controls', 'Scheduled transfers'],
      ...['Auto-delete after downloads', 'File preview and thumbnails', 'Transfer analytics dashboard'],
      ...['Download notifications', 'RESTful API access'],
    ],
    Premium: [
      ...['50 GB per transfer', '500 GB per month', '90 days retention', 'Download limits up to 1,000,000'],
      ...['Upload invitation links', 'RESTful API access', 'Custom background images'],
      // Priority support is only listed where the operator has set an address for it.
      ...['Advanced API rate limits', 'Extended analytics history', 'Higher download limits'],
    ],
  };
  for (const [name, features] of Object.entries(lists))
    await expect(plan(page, name).getByRole('listitem')).toHaveText(features);
  await expect(plan(page, 'Premium').getByText('All Pro features, and')).toBeVisible();
});

test('§2 Sizes, days and prices are those of the configuration, and of the moment', async ({
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

test('plans that do not load say so, and can be asked for again', async ({ visitorPage: page }) => {
  await page.route(getTierConfig.path, (route) => route.abort());
  await page.goto(PRICING);
  await expect(page.getByRole('alert')).toContainText('The plans did not load.');
  await page.unroute(getTierConfig.path);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('article')).toHaveCount(3);
});

for (const tier of ['free', 'pro', 'premium'] as const) {
  const name = { free: 'Free', pro: 'Pro', premium: 'Premium' }[tier];
  test(`§2 Buttons of the cards for somebody with ${name}`, async ({ server, context, page }) => {
    await signIn(context, await createMember(server, tier));
    await page.goto(PRICING);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toBeVisible();
    const current = page.getByRole('button', { name: 'Current Plan' });
    await expect(current).toHaveCount(1);
    await expect(current).toBeDisabled();
    await expect(plan(page, name).getByRole('button', { name: 'Current Plan' })).toBeVisible();
    for (const other of ['Pro', 'Premium'].filter((each) => each !== name))
      await expect(plan(page, other).getByRole('button', { name: `Subscribe to ${other}` })).toBeEnabled();
    const getStarted = plan(page, 'Free').getByRole('link', { name: 'Get Started Free' });
    if (tier === 'free') await expect(getStarted).toHaveCount(0);
    else await expect(getStarted).toHaveAttribute('href', '/auth');
  });
}

test('§8 A signed-out user is sent to /auth, and comes back to the plan they chose', async ({
  server,
  visitorPage: page,
}) => {
  const { username } = await createMember(server, 'free');
  await page.goto(PRICING);
  await expect(plan(page, 'Free').getByRole('link', { name: 'Get Started Free' })).toHaveAttribute(
    'href',
    '/auth',
  );
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  await expect(page).toHaveURL(({ pathname }) => pathname === '/auth');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL(({ pathname }) => pathname === PRICING);
  const dialog = page.getByRole('dialog', { name: 'Complete Your Subscription' });
  await expect(dialog.getByTestId('price-summary')).toContainText('$24.99');
});

test.describe('a free user', () => {
  test.use({ tier: 'free' });

  test('§2 A dialog with the embedded form opens; closing it clears the chosen tier', async ({
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

  test('§8 Subscription start failure: the server’s message, or ours without one', async ({
    memberPage: page,
  }) => {
    await page.route(createSubscription.path, (route) =>
      route.fulfill({ status: 503, body: 'The payment provider does not answer.' }),
    );
    await page.goto(PRICING);
    const button = page.getByRole('button', { name: 'Subscribe to Pro' });
    await button.click();
    await expectToast(page, 'Error', '503: The payment provider does not answer.');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.unroute(createSubscription.path);
    await page.route(createSubscription.path, (route) => route.abort());
    await button.click();
    await expectToast(page, 'Error', 'Failed to initiate subscription');
    await expect(button).toBeEnabled();
    await page.unroute(createSubscription.path);
    await button.click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('what is wrong with a card is said at its field, before anything is sent', async ({
    memberPage: page,
  }) => {
    const dialog = await choosePlan(page, 'Pro');
    const number = dialog.getByLabel('Card number');
    await number.pressSequentially('4242424242424243');
    await expect(number).toHaveValue('4242 4242 4242 4243');
    await dialog.getByLabel('Expiry').pressSequentially('120');
    await dialog.getByLabel('CVC').pressSequentially('1');
    await dialog.getByRole('button', { name: 'Subscribe Now' }).click();
    await expect(dialog.getByText('This card number is not right. Please check it.')).toBeVisible();
    await expect(dialog.getByText('Please enter month and year, as 12/30')).toBeVisible();
    await expect(dialog.getByText('Please enter the three or four digits')).toBeVisible();
    await expect(number).toBeFocused();
    for (const [label, complete] of [
      ['Card number', 'cc-number'],
      ['Expiry', 'cc-exp'],
      ['CVC', 'cc-csc'],
    ] as const) {
      await expect(dialog.getByLabel(label)).toHaveAttribute('autocomplete', complete);
      await expect(dialog.getByLabel(label)).toHaveAttribute('inputmode', 'numeric');
    }
  });

  test('a plan is subscribed to with the keyboard alone', async ({ memberPage: page }) => {
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

  test('the page and its dialogs are accessible in both themes and widths', async ({
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

test('the landing page, its footer and the settings lead to the pricing page', async ({
  memberPage: page,
  visitorPage,
}) => {
  await visitorPage.goto('/');
  await visitorPage.getByRole('banner').getByRole('link', { name: 'Pricing' }).click();
  await expect(visitorPage.getByRole('heading', { name: 'Choose Your Plan' })).toBeVisible();
  await page.goto(PAGES.settings);
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
