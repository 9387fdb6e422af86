import { type AdminStats, getAdminStats } from '../../contracts/admin/stats.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { openAsAdmin } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin } from '../actions/people.ts';

const SECTIONS: [path: string, heading: string][] = [
  [PAGES.adminDashboard, 'Dashboard'],
  [PAGES.adminUsers, 'Users'],
  [PAGES.adminTransfers, 'Transfers'],
  [PAGES.adminCoupons, 'Coupons'],
  [PAGES.adminAds, 'Ads'],
  [PAGES.adminSettings, 'Tier Settings'],
  [PAGES.adminRegistration, 'Registration'],
  [PAGES.adminSingleSignOn, 'Single sign-on'],
  [PAGES.adminSystem, 'System'],
  [PAGES.adminAudit, 'Audit Log'],
];

test.describe.configure({ timeout: 180_000 });

test('the Admin Panel group starts open, collapses, and links to every section', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto('/dashboard');
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const group = navigation.getByRole('button', { name: 'Admin Panel' });
  await expect(group).toHaveAttribute('aria-expanded', 'true');
  const links = navigation.locator('a[href^="/admin"]');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(
    SECTIONS.map(([path]) => path),
  );
  for (const [path, heading] of SECTIONS) {
    await navigation.locator(`a[href="${path}"]`).click();
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expect(page).toHaveURL(path);
    await expect(navigation.locator('[aria-current=page]')).toHaveAttribute('href', path);
  }
  await group.click();
  await expect(links).toHaveCount(0);
  await navigation.getByRole('link', { name: 'My Transfers' }).click();
  await expect(page).toHaveURL('/dashboard');
  // The state is kept between pages.
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await group.press('Enter');
  await expect(links).toHaveCount(SECTIONS.length);
});

test('/admin is the dashboard; an unknown section is not found', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.goto('/admin');
  await expect(page).toHaveURL(PAGES.adminDashboard);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  expect((await page.goto('/admin/nowhere'))?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
});

test('signed-in users who are not administrators get a bare 404 page for every section', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  for (const path of ['/admin', ...SECTIONS.map(([section]) => section)]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: '404 Page Not Found', exact: true })).toBeVisible();
    await expect(
      page.getByText('Did you forget to add the page to the router?', { exact: true }),
    ).toBeVisible();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('main')).toHaveCount(1);
    await expect(page.getByText('Signed in as')).toHaveCount(0);
  }
});

test('signed out, every section redirects to /auth', { tag: '@all' }, async ({ page }) => {
  for (const path of ['/admin', ...SECTIONS.map(([section]) => section)]) {
    await page.goto(path);
    await expect(page).toHaveURL(({ pathname }) => pathname === '/auth');
  }
});

test('losing administrator rights while a page is open shows the 404 page', { tag: '@all' }, async ({
  context,
  server,
}) => {
  const admin = await createAdmin(server);
  const page = await openAsAdmin(context, admin);
  await page.goto(PAGES.adminCoupons);
  await page.getByRole('button', { name: 'Create Coupon' }).first().click();
  server.withDatabase((database) =>
    database.prepare('UPDATE users SET "isAdmin" = 0 WHERE username = ?').run(admin.username),
  );
  await page.getByLabel('Code').fill('late');
  await page
    .getByRole('form', { name: 'Create coupon' })
    .getByRole('button', { name: 'Create Coupon' })
    .click();
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
});

test('the dashboard shows seven numbers, four charts and the storage', async ({
  context,
  server,
  member,
}) => {
  const admin = await createAdmin(server);
  await sendTransfer(member.client, [{ fileName: 'note.bin', bytes: Buffer.alloc(4_096) }]);
  const page = await openAsAdmin(context, admin);
  // The server caches the figures for a minute, so they may be older than this journey's accounts.
  const answered = page.waitForResponse((response) => response.url().endsWith(getAdminStats.path));
  await page.goto(PAGES.adminDashboard);
  const stat = (label: string) => page.getByTestId('stat').filter({ hasText: label }).locator('dd');
  await expect(page.getByTestId('stat').locator('dt')).toHaveText([
    'Total Users',
    'Active Transfers',
    'Transfers Today',
    'Total Storage',
    'Pro Users',
    'Premium Users',
    'Monthly Revenue',
  ]);
  const { totalUsers } = (await (await answered).json()) as AdminStats;
  await expect(stat('Total Users')).toHaveText(String(totalUsers));
  // In dollars with two decimals, stored as cents.
  await expect(stat('Monthly Revenue')).toHaveText(/^\$[\d,]+\.\d\d$/);

  for (const title of ['New users', 'New transfers', 'Uploaded', 'Downloads'])
    await expect(page.getByRole('slider', { name: `${title} by day` })).toHaveCount(1);
  const slider = page.getByRole('slider', { name: 'New users by day' });
  await expect(slider).toHaveAttribute('max', '29');
  await slider.focus();
  const today = await slider.getAttribute('aria-valuetext');
  await slider.press('ArrowLeft');
  await expect(slider).not.toHaveAttribute('aria-valuetext', today!);
  await page.getByText('Show as a table').click();
  await expect(page.getByRole('region', { name: 'The last 30 days' }).getByRole('row')).toHaveCount(31);

  const storage = page.getByRole('region', { name: 'Storage' });
  for (const part of ['Committed', 'Reserved', 'Waiting for deletion', 'Orphaned', 'Trash'])
    await expect(storage.getByText(part, { exact: true })).toBeVisible();
  await expect(storage).toContainText('on the disk are free');
  await expectAccessible(page, 'dashboard');
});

test('numbers that failed to load can be retried', { tag: '@all' }, async ({ context, server }) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.route('**/api/admin/stats', (route) => route.abort(), { times: 1 });
  await page.goto(PAGES.adminDashboard);
  await expect(page.getByRole('alert')).toContainText("The numbers couldn't be loaded.");
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId('stat')).toHaveCount(7);
});
