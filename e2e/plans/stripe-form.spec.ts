import type { Route } from '@playwright/test';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { createSubscription, getSubscription, type PaymentStart } from '../../contracts/plans/billing.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import { StripeFake } from '../../testing/payments/stripe/fake.ts';
import { choosePlan, seedCoupon } from '../actions/billing.ts';
import { test as base, expect } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';
import { standInForStripe, stripeCalls } from '../servers/stripe-stand-in.ts';

/** A server configured for Stripe, and its own fake of Stripe. */
const test = base.extend<object, { fake: StripeFake; server: JourneyServer }>({
  fake: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
    async ({}, use) => {
      const fake = await new StripeFake(systemClock).start();
      await use(fake);
      await fake.stop();
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ fake }, use) => {
      const server = await startJourneyServer(fake.env);
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
});

test.use({ tier: 'free' });

test('the content security policy allows Stripe’s script only on payment pages', async ({ server }) => {
  const client = server.anonymous();
  const policyOf = async (path: string) => (await client.fetch(path)).headers.get('content-security-policy')!;
  for (const path of [PAGES.pricing, `${PAGES.pricing}?plan=pro`, `${PAGES.settingsPlan}/`]) {
    const policy = await policyOf(path);
    expect(policy).toMatch(/script-src 'self' https:\/\/js\.stripe\.com/);
    expect(policy).toMatch(/frame-src [^;]*https:\/\/hooks\.stripe\.com/);
    expect(policy).toMatch(/connect-src [^;]*https:\/\/api\.stripe\.com/);
    expect(policy).not.toMatch(/unsafe/);
  }
  for (const path of ['/', '/auth', '/dashboard', '/download/some-token', '/pricing/more'])
    expect(await policyOf(path)).not.toContain('stripe');
});

test('Stripe’s library confirms the payment with the return URL', { tag: '@all' }, async ({
  fake,
  server,
  member,
  memberPage: page,
}) => {
  const requested = await standInForStripe(page, fake);
  await page.goto(PAGES.pricing);
  await expect(page.getByRole('article')).toHaveCount(3);
  expect(requested).toEqual([]);
  const begun = page.waitForResponse(server.url + createSubscription.path);
  const dialog = await choosePlan(page, 'Pro');
  const { clientSecret, provider, publishableKey } = (await (await begun).json()) as PaymentStart;
  expect(provider).toBe('stripe');
  const field = dialog.getByLabel('Number of the card');
  await expect(field).toBeVisible();
  await expect(dialog.getByText('Demo: no real payment')).toHaveCount(0);
  expect(await stripeCalls(page, 'Stripe')).toEqual([{ key: publishableKey }]);
  expect(await stripeCalls(page, 'create')).toEqual([{ type: 'payment' }]);
  const [elements] = await stripeCalls(page, 'elements');
  expect(elements).toMatchObject({
    clientSecret,
    appearance: { theme: 'night', variables: { colorPrimary: '#bdf24e', colorText: '#f3f1e8' } },
  });

  const submit = dialog.getByRole('button', { name: 'Subscribe Now' });
  await submit.click();
  expect(await stripeCalls(page, 'confirmPayment')).toEqual([
    { confirmParams: { return_url: `${server.url}/dashboard` }, redirect: 'if_required' },
  ]);
  // Stripe's form shows its own validation errors.
  await expect(page.locator('[data-toast-region] > li')).toHaveCount(0);
  await field.fill('4000000000000002');
  await submit.click();
  await expectToast(page, 'Payment Failed', 'Your card was declined.');
  expect((await member.client.call(getCurrentUser)).tier).toBe('free');
  await field.fill('4242424242424242');
  await submit.click();
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
});

test('the payment form follows the theme', { tag: '@all' }, async ({ fake, memberPage: page }) => {
  await standInForStripe(page, fake);
  const dialog = await choosePlan(page, 'Pro');
  await expect(dialog.getByLabel('Number of the card')).toBeVisible();
  // As if it was changed in another tab.
  await page.evaluate(`localStorage.setItem('theme', 'light');
    dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'light' }))`);
  await expect
    .poll(() => stripeCalls(page, 'update'))
    .toMatchObject([{ appearance: { theme: 'stripe', variables: { colorText: '#141c17' } } }]);
});

test('with free months the card is saved but not charged', { tag: '@all' }, async ({
  fake,
  server,
  member,
  memberPage: page,
}) => {
  await standInForStripe(page, fake);
  const code = seedCoupon(server, { freeMonths: 2 });
  const dialog = await choosePlan(page, 'Pro');
  await dialog.getByLabel('Coupon code').fill(code);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(dialog.getByTestId('price-summary')).toContainText('Due today$0.00');
  // Another payment needs another form.
  await expect.poll(async () => (await stripeCalls(page, 'elements')).length).toBe(2);
  const field = dialog.getByLabel('Number of the card');
  await field.fill('4242424242424242');
  await dialog.getByRole('button', { name: 'Subscribe Now' }).click();
  await expect(page).toHaveURL('/dashboard');
  expect(await stripeCalls(page, 'confirmPayment')).toEqual([]);
  expect(await stripeCalls(page, 'confirmSetup')).toEqual([
    { confirmParams: { return_url: `${server.url}/dashboard` }, redirect: 'if_required' },
  ]);
  expect((await member.client.call(getSubscription)).status).toBe('trialing');
});

test('opening the plans from within the app also allows payment', { tag: '@all' }, async ({
  fake,
  memberPage: page,
}) => {
  const requested = await standInForStripe(page, fake);
  await page.goto(PAGES.settings);
  await page.goto(PAGES.dashboard);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByRole('link', { name: 'Change plan' }).click();
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  // The dashboard's policy blocks the script, so the page reloads and keeps the chosen plan.
  await expect(page.getByRole('dialog').getByLabel('Number of the card')).toBeVisible();
  await expect(page.getByRole('dialog').getByTestId('price-summary')).toContainText('$24.99');
  expect(requested.length).toBe(1);
});

test('a payment script that fails to load is reported and can be retried', { tag: '@all' }, async ({
  fake,
  memberPage: page,
}) => {
  await standInForStripe(page, fake);
  const cut = (route: Route) => route.abort();
  // Playwright tries the newest route first.
  await page.route('https://js.stripe.com/**', cut);
  const dialog = await choosePlan(page, 'Pro');
  await expect(dialog.getByRole('alert')).toContainText('The payment form could not be loaded.');
  await page.unroute('https://js.stripe.com/**', cut);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog.getByLabel('Number of the card')).toBeVisible();
});

test('returning from a bank’s page shows success once the plan is active', { tag: '@all' }, async ({
  fake,
  member,
  memberPage: page,
}) => {
  const { clientSecret } = await member.client.call(createSubscription, { body: { tier: 'pro' } });
  fake.confirm(clientSecret, '4242424242424242');
  await page.goto(
    `/dashboard?payment_intent=pi_1&payment_intent_client_secret=${clientSecret}&redirect_status=succeeded`,
  );
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  await expect(page).toHaveURL('/dashboard');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  await page.goto('/dashboard?payment_intent=pi_1&redirect_status=failed');
  await expectToast(page, 'Payment Failed', 'The payment was not confirmed. Please try again.');
});

test('an upgrade that needs confirmation by the bank is confirmed in the form', { tag: '@all' }, async ({
  fake,
  member,
  memberPage: page,
}) => {
  await standInForStripe(page, fake);
  const { clientSecret } = await member.client.call(createSubscription, { body: { tier: 'pro' } });
  fake.confirm(clientSecret, '4000002760003184');
  expect((await member.client.call(getSubscription)).tier).toBe('pro');
  await page.goto(PAGES.pricing);
  await page.getByRole('button', { name: 'Subscribe to Premium' }).click();
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  const dialog = page.getByRole('dialog', { name: 'Complete Your Subscription' });
  await dialog.getByLabel('Number of the card').fill('4242424242424242');
  expect((await member.client.call(getCurrentUser)).tier).toBe('pro');
  await dialog.getByRole('button', { name: 'Subscribe Now' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, 'Payment Successful', 'Welcome to your new plan!');
  expect((await member.client.call(getCurrentUser)).tier).toBe('premium');
});
