import type { Page } from '@playwright/test';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { getSubscription, listInvoices } from '../../contracts/plans/billing.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { CARDS, dayOf, letPass, passTime, payWith, seedCoupon, subscribe } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';

const PLAN = PAGES.settingsPlan;

test.use({ tier: 'free' });

test('a cancellation takes effect at the end of the period and can be undone until then', async ({
  server,
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro');
  const { renewsAt } = await member.client.call(getSubscription);
  const day = dayOf(renewsAt!);
  await page.goto(PLAN);
  const plan = page.getByTestId('plan');
  await expect(plan).toContainText(`$9.99 a month`);
  await expect(plan).toContainText(`Renews on${day}`);
  await expect(plan).toContainText('Visa ending in 4242');
  await cancelPlan(page, `You keep Pro until ${day}`);
  await expectToast(page, 'Plan canceled', `You have Pro until ${day}.`);
  await expect(plan).toContainText(`Ends on ${day}`);
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  await plan.getByRole('button', { name: 'Resume' }).click();
  await expectToast(page, 'Plan resumed', `It renews on ${day}.`);
  await expect(plan).toContainText('Active');
  await expect(page.getByRole('heading', { name: 'Plan', exact: true })).toBeFocused();
  await cancelPlan(page, 'Transfers you have sent keep their current limits.');
  await expect(plan).toContainText(`Ends on ${day}`);
  await letPass(server, member, 32);
  await page.reload();
  await expect(plan).toContainText('Free');
  await expect(plan).toContainText('Nothing is charged.');
  await page.goto(PAGES.pricing);
  await expect(page.getByRole('button', { name: 'Current Plan' })).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Subscribe to Pro' })).toBeEnabled();
});

test('a plan is renewed each month, and each payment has an invoice, the newest first', {
  tag: '@all',
}, async ({ server, member, memberPage: page }) => {
  await subscribe(member, 'premium');
  for (let month = 0; month < 3; month += 1) await letPass(server, member, 31);
  await page.goto(PLAN);
  const rows = page.getByRole('list', { name: 'Invoices' }).getByRole('listitem');
  const invoices = await member.client.call(listInvoices);
  expect(invoices.length).toBeGreaterThanOrEqual(3);
  await expect(rows).toHaveCount(invoices.length);
  await expect(rows.first()).toContainText(dayOf(invoices[0]!.createdAt));
  await expect(rows.first()).toContainText('Paid');
  await expect(rows.first()).toContainText('$24.99');
  expect(Date.parse(invoices[0]!.createdAt)).toBeGreaterThan(Date.parse(invoices[1]!.createdAt));
  expect((await member.client.call(getCurrentUser)).tier).toBe('premium');
});

test('the first charge follows the free months', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  const couponCode = seedCoupon(server, { freeMonths: 1, discountPercent: 50 });
  await subscribe(member, 'pro', { couponCode });
  await page.goto(PLAN);
  await expect(page.getByTestId('plan')).toContainText('Free until');
  await expect(page.getByText('No invoices yet.')).toBeVisible();
  passTime(server, member, 32 * DAY_MS);
  await page.reload();
  await expect(page.getByTestId('plan')).toContainText('Active');
  await expect(page.getByRole('list', { name: 'Invoices' })).toContainText('$5.00');
});

test('a failed renewal leaves time to pay with another card', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro', { cardNumber: CARDS.failsAtRenewal });
  passTime(server, member, 32 * DAY_MS);
  // The page is the first to read the change.
  await page.goto(PLAN);
  await expect(page.getByRole('list', { name: 'Invoices' })).toContainText('Open');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  const { graceEndsAt } = await member.client.call(getSubscription);
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  await page
    .getByRole('alertdialog', { name: 'A payment is due' })
    .getByRole('button', { name: 'Pay now' })
    .click();
  await expect(page).toHaveURL(({ pathname }) => pathname === PAGES.settingsPlan);
  const dialog = page.getByRole('dialog', { name: 'Pay Now' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  const plan = page.getByTestId('plan');
  await expect(plan).toContainText('Payment failed');
  await expect(plan).toContainText(`Please pay it by ${dayOf(graceEndsAt!)} to keep Pro.`);
  await expect(page.getByRole('list', { name: 'Invoices' }).getByRole('listitem').first()).toContainText(
    'Open',
  );
  await plan.getByRole('button', { name: 'Pay now' }).click();
  await payWith(page, CARDS.declined, 'Pay $9.99');
  await expectToast(page, 'Payment Failed', 'Your card was declined.');
  await payWith(page, CARDS.pays, 'Pay $9.99');
  await expectToast(page, 'Payment Successful', 'Thank you. Your plan continues.');
  await expect(dialog).toBeHidden();
  await expect(plan).toContainText('Active');
  await expect(plan).toContainText('Visa ending in 4242');
  await expect(page.getByRole('list', { name: 'Invoices' })).not.toContainText('Open');
});

test('a renewal that is never paid ends the plan after the grace period', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro', { cardNumber: CARDS.failsAtRenewal });
  await letPass(server, member, 32);
  await letPass(server, member, 8);
  await page.goto(PLAN);
  await expect(page.getByTestId('plan')).toContainText('Free');
  expect((await member.client.call(getCurrentUser)).tier).toBe('free');
});

test.describe('a plan assigned by an administrator', () => {
  test.use({ tier: 'premium' });

  test('costs nothing and says so', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(PLAN);
    await expect(page.getByTestId('plan')).toContainText(
      'An administrator gave you this plan. Nothing is charged.',
    );
    await expect(page.getByRole('button', { name: 'Cancel plan' })).toHaveCount(0);
  });
});

test('a change that the server refuses is reported', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  await subscribe(member, 'pro');
  await page.goto(PLAN);
  await page.route('/api/cancel-subscription', (route) => route.fulfill({ status: 503, body: 'Busy.' }));
  await cancelPlan(page, 'You keep Pro');
  await expectToast(page, 'Error', '503: Busy.');
  await expect(page.getByTestId('plan')).toContainText('Active');
});

test('the plan in Settings is accessible in every state', { tag: '@all' }, async ({
  server,
  member,
  memberPage: page,
}) => {
  test.setTimeout(150_000);
  await page.goto(PLAN);
  await expect(page.getByTestId('plan')).toContainText('Free');
  await expectAccessible(page, 'free plan');
  await subscribe(member, 'pro', { cardNumber: CARDS.failsAtRenewal });
  await letPass(server, member, 32);
  await page.reload();
  await expect(page.getByTestId('plan')).toContainText('Payment failed');
  await expectAccessible(page, 'failed payment');
  await page.getByRole('button', { name: 'Pay now' }).click();
  await expect(page.getByRole('dialog', { name: 'Pay Now' })).toBeVisible();
  await expectAccessible(page, 'paying');
});

async function cancelPlan(page: Page, text: string): Promise<void> {
  await page.getByTestId('plan').getByRole('button', { name: 'Cancel plan' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel Pro?' });
  await expect(dialog).toContainText(text);
  await dialog.getByRole('button', { name: 'Cancel plan' }).click();
  await expect(dialog).toBeHidden();
}
