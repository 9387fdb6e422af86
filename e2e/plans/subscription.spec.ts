import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import {
  changeSubscription,
  confirmDemoPayment,
  getSubscription,
  type Subscription,
} from '../../contracts/plans/billing.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { CARDS, choosePlan, dayOf, letPass, payWith, seedCoupon, subscribe } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';
import { holdCall } from '../actions/people.ts';
import { expectToast, openOptions } from '../actions/uploads.ts';

const PLAN = PAGES.settingsPlan;

test.use({ tier: 'free' });

test('a confirmed payment leads to /dashboard, and the plan is active', async ({
  member,
  memberPage: page,
}) => {
  await choosePlan(page, 'Pro');
  const answer = await holdCall(page, confirmDemoPayment);
  await payWith(page, CARDS.pays);
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Processing...' })).toBeVisible();
  // Closing now would leave it open whether the payment went through.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Close' })).toHaveCount(0);
  answer();
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  // Without reloading the page.
  await page.getByRole('link', { name: 'Upload Files' }).first().click();
  await openOptions(page);
  await expect(page.getByLabel('Password', { exact: true })).toBeEnabled();
});

test('a failed payment shows the provider’s message, and another card can be tried', {
  tag: '@all',
}, async ({ member, memberPage: page }) => {
  const dialog = await choosePlan(page, 'Pro');
  await payWith(page, CARDS.declined);
  await expectToast(page, 'Payment Failed', 'Your card was declined.');
  await expect(dialog.getByLabel('Card number')).toBeFocused();
  expect((await member.client.call(getCurrentUser)).tier).toBe('free');
  await payWith(page, '5555 5555 5555 4444');
  await expectToast(page, 'Payment Failed', 'Your card number is not supported by the demo.');
  await payWith(page, CARDS.pays);
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
});

test('a slow confirmation shows its progress and a way to continue', {
  tag: ['@all', '@full-browser'],
}, async ({ memberPage: page }) => {
  await page.clock.install();
  const dialog = await choosePlan(page, 'Pro');
  let isConfirmed = false;
  await page.route(getSubscription.path, async (route) => {
    const response = await route.fetch();
    const subscription = (await response.json()) as Subscription;
    const pending = { ...subscription, tier: 'free', status: 'incomplete' };
    return route.fulfill({ response, json: isConfirmed ? subscription : pending });
  });
  await payWith(page, CARDS.pays);
  await expect(dialog.getByText('Confirming your payment…')).toBeVisible();
  await expect(async () => {
    await page.clock.runFor(2000);
    await expect(dialog.getByText('This is taking longer than usual.')).toBeVisible({ timeout: 200 });
  }).toPass({ timeout: 40_000 });
  await expectAccessible(page, 'slow confirmation');
  await expect(dialog.getByRole('link', { name: 'Go to Dashboard' })).toHaveAttribute('href', '/dashboard');
  isConfirmed = true;
  await dialog.getByRole('button', { name: 'Check again' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
});

test('an upgrade shows its price and the saved card, and starts immediately', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro');
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Upgrade to Premium?' });
  await expect(dialog).toContainText(/About \$(?:15\.00|14\.99) is charged to your Visa ending in 4242 now/);
  await expect(dialog).toContainText('$24.99 a month');
  await expect(page.getByLabel('Coupon code')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  await dialog.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  expect((await member.client.call(getCurrentUser)).tier).toBe('premium');
  await page.goto(PLAN);
  await expect(page.getByRole('list', { name: 'Invoices' }).getByRole('listitem')).toHaveCount(2);
});

test('a coupon applies to its plan only: an upgrade announces and charges the full price', {
  tag: '@all',
}, async ({ server, member, memberPage: page }) => {
  await subscribe(member, 'pro', { couponCode: seedCoupon(server, { discountPercent: 50 }) });
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Upgrade to Premium?' });
  await expect(dialog).toContainText('$24.99 a month');
  await expect(dialog).toContainText("Your coupon's 50% discount applies only to Pro and ends with it.");
  await dialog.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await expect(page).toHaveURL('/dashboard');
  const { discountPercent, nextChargeCents } = await member.client.call(getSubscription);
  expect([discountPercent, nextChargeCents]).toEqual([0, 2499]);
});

test('an upgrade that the card declines changes nothing', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro', { cardNumber: CARDS.failsAtRenewal });
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await expectToast(page, 'Payment Failed', 'Your card was declined.');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
});

test('a downgrade starts at the end of the period, can be undone, and keeps existing transfers’ settings', {
  tag: '@all',
}, async ({ server, member, memberPage: page }) => {
  await subscribe(member, 'premium');
  const sent = await sendTransfer(member.client, [{ fileName: 'a.txt', bytes: Buffer.from('a') }], {
    expirationDays: 60,
  });
  const { expiresAt } = await member.client.call(getTransfer, { params: { id: sent.id } });
  const { renewsAt } = await member.client.call(getSubscription);
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Pro' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Change to Pro?' });
  await expect(dialog).toContainText(`You keep Premium until ${dayOf(renewsAt!)}`);
  await expect(dialog).toContainText('Pro for $9.99 a month');
  await dialog.getByRole('button', { name: 'Change to Pro' }).click();
  await expectToast(page, 'Plan changed', `You have Premium until ${dayOf(renewsAt!)}, then Pro.`);
  await page.goto(PLAN);
  await expect(page.getByTestId('plan')).toContainText('Changes to Pro');
  await page.getByRole('button', { name: 'Keep Premium' }).click();
  await expectToast(page, 'Plan kept', 'You stay on Premium.');
  await expect(page.getByTestId('plan')).toContainText('Active');
  await member.client.call(changeSubscription, { body: { tier: 'pro' } });
  await letPass(server, member, 32);
  await page.reload();
  await expect(page.getByTestId('plan')).toContainText('Pro');
  await expect(page.getByTestId('plan')).toContainText('$9.99 a month');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  const kept = await member.client.call(getTransfer, { params: { id: sent.id } });
  expect(kept.expiresAt).toBe(expiresAt);
});
