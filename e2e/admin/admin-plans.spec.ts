import { getTierConfig } from '../../contracts/plans/tiers.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { GIB, KIB, MIB } from '../../contracts/values/sizes.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { confirm, openAsAdmin, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test.describe.configure({ timeout: 180_000 });

test('coupons are validated, created, listed with their uses and deleted', { tag: '@all' }, async ({
  browser,
  ownServer,
}) => {
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, await createAdmin(ownServer));
  await page.goto(PAGES.adminCoupons);
  await expect(page.getByRole('heading', { name: 'No coupons yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Create Coupon' }).click();
  const form = page.getByRole('form', { name: 'Create coupon' });
  const create = form.getByRole('button', { name: 'Create Coupon' });
  await form.getByLabel('Discount in percent').fill('101');
  await form.getByLabel('Free months').fill('-1');
  await form.getByLabel('Max uses').fill('0');
  await create.click();
  for (const mistake of [
    'Please enter a coupon code',
    'Please enter 0 to 100',
    'Please enter 0 or more months',
    'Please enter at least 1, or leave it empty',
  ])
    await expect(form.getByText(mistake)).toBeVisible();
  await expectAccessible(page, 'creating a coupon, with mistakes');
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByLabel('Code').pressSequentially('spring-26');
  await expect(form.getByLabel('Code')).toHaveValue('SPRING-26');
  await form.getByLabel('Discount in percent').fill('20');
  await form.getByLabel('Free months').fill('2');
  await form.getByLabel('Max uses').fill('10');
  await form.getByLabel('Plan').selectOption('premium');
  await expect(form.getByText('Gives 20% off and 2 free months on the Premium plan.')).toBeVisible();
  await create.click();
  await expectToast(page, 'Coupon created', 'SPRING-26 can be used from now on.');
  const coupon = row(page, 'Coupons', 'SPRING-26');
  for (const text of ['Premium', '20%', '0 of 10', 'Never']) await expect(coupon).toContainText(text);
  await expectAccessible(page, 'coupons');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('button', { name: 'Create Coupon' }).click();
  await form.getByLabel('Code').fill('Spring-26');
  await create.click();
  await expectToast(page, 'Error', '409: A coupon with this code already exists.');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await confirm(page, 'Discard changes');

  await page.getByRole('button', { name: 'Delete SPRING-26' }).click();
  await confirm(page, 'Delete coupon');
  await expectToast(page, 'Coupon deleted');
  await expect(page.getByRole('heading', { name: 'No coupons yet' })).toBeVisible();
  await context.close();
});

test('plan settings: size texts, placeholders and the exact error', { tag: '@all' }, async ({
  browser,
  ownServer,
}) => {
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, await createAdmin(ownServer));
  await page.goto(PAGES.adminSettings);
  const plan = (name: string) => page.getByRole('group', { name, exact: true });
  for (const [name, ...placeholders] of [
    ['Free', '5GB', '10GB', '3'],
    ['Pro', '10GB', '100GB', '30'],
    ['Premium', '50GB', '500GB', '90'],
  ] as const) {
    await expect(plan(name)).toBeVisible();
    const fields = plan(name).locator('input[placeholder]');
    expect(await fields.evaluateAll((all) => all.map((each) => each.getAttribute('placeholder')))).toEqual(
      placeholders,
    );
  }
  await expectAccessible(page, 'tier settings');
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('button', { name: 'Save Settings' })).toBeDisabled();

  for (const wrong of ['5', 'much', '5 gigs', '']) {
    await plan('Free').getByLabel('Storage per transfer').fill(wrong);
    await page.getByRole('button', { name: 'Save Settings' }).click();
    await expectToast(page, 'Error', 'Invalid byte string format');
    await expect(plan('Free').getByLabel('Storage per transfer')).toBeFocused();
    await page.locator('[data-toast-region]').getByRole('button', { name: 'Dismiss' }).click();
  }
  await plan('Free').getByLabel('Storage per transfer').fill('2000MB');
  await plan('Free').getByLabel('Monthly total').fill('1024KB');
  await plan('Pro').getByLabel('Retention in days').fill('0');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(plan('Pro').getByText('Please enter 1 to 90 days')).toBeVisible();
  await plan('Pro').getByLabel('Retention in days').fill('14');
  await plan('Pro').getByLabel('Price in dollars a month').fill('7.5');
  await plan('Premium').getByLabel('Monthly total').fill('1TB');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Settings saved');
  const { free, pro, premium } = await ownServer.anonymous().call(getTierConfig);
  expect([free.storagePerTransfer, free.monthlyTotal]).toEqual([2000 * MIB, 1024 * KIB]);
  expect([pro.retentionDays, pro.price, premium.monthlyTotal]).toEqual([14, 7.5, 1024 * GIB]);
  await expect(page.getByRole('button', { name: 'Save Settings' })).toBeDisabled();
  await page.goto(`${PAGES.adminAudit}?action=tier-config`);
  await expect(row(page, 'Audit log', 'Changed settings')).toContainText('pro: retention days: 30 → 14');
  await context.close();
});
