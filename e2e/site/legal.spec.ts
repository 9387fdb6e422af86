import { expectAccessible } from '../actions/accessibility.ts';
import { changePlans } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';

const PAGES = [
  {
    path: '/terms',
    title: 'Terms of Service',
    says: ['billed monthly', 'end of the period', 'no refunds for partial months', 'at least 13 years old'],
  },
  {
    path: '/privacy',
    title: 'Privacy Policy',
    says: ['Up to 90 days', 'under 13 are not served', 'sendwell_session', 'unsubscribe'],
  },
];

for (const { path, title, says } of PAGES) {
  test(`${path} has its required sections, its date and a link home`, async ({ page }) => {
    await page.goto(path);
    await expect(page).toHaveTitle(`${title} · Sendwell`);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByText('Last updated October 23, 2025')).toBeVisible();
    for (const text of says) await expect(page.getByText(text).first()).toBeVisible();
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('heading', { name: 'Share Files Simply' })).toBeVisible();
  });

  test(`every entry of the contents of ${path} links to its section`, { tag: '@all' }, async ({ page }) => {
    await page.goto(path);
    const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
    const titles = await links.allTextContents();
    expect(titles.length).toBeGreaterThan(9);
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(headings.map((heading) => heading.replace(/^\d+/, ''))).toEqual(titles);
    await links.last().focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 2 }).last()).toBeInViewport();
  });

  test(`${path} is accessible, fits narrow windows and prints dark on white`, { tag: '@all' }, async ({
    page,
  }) => {
    await page.goto(path);
    await expectAccessible(page, path);
    await page.setViewportSize({ width: 320, height: 800 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('html')).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(page.getByRole('navigation', { name: 'On this page' })).toBeHidden();
  });
}

test('signed-in users find a link to the dashboard', { tag: '@all' }, async ({ memberPage: page }) => {
  await page.goto('/terms');
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
});

test('the terms show the configured plans', { tag: '@all' }, async ({ page, ownServer }) => {
  await page.goto(`${ownServer.url}/terms`);
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows.nth(1)).toHaveText('Free5 GB10 GB3 days');
  await expect(rows.nth(2)).toHaveText('Pro10 GB100 GB30 days');
  await expect(rows.nth(3)).toHaveText('Premium50 GB500 GB90 days');
  changePlans(ownServer, { free: { retentionDays: 1 }, pro: { storagePerTransfer: 1.5 * 1024 ** 4 } });
  await page.reload();
  await expect(rows.nth(1)).toHaveText('Free5 GB10 GB1 day');
  await expect(rows.nth(2)).toHaveText('Pro1536 GB100 GB30 days');
});
