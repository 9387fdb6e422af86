import type { Page } from '@playwright/test';
import { expectAccessible } from '../actions/accessibility.ts';
import { changePlans } from '../actions/billing.ts';
import { expect, test } from '../actions/fixtures.ts';

test('shows hero, six features, three steps, numbers and footer', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveTitle('Sendwell · Share Files Simply');
  await expect(page.getByRole('heading', { level: 1, name: 'Share Files Simply' })).toBeVisible();
  await expect(
    page.getByText('Upload, share via email, and track downloads with automatic expiration'),
  ).toBeVisible();
  const features = page.getByRole('region', { name: 'Everything You Need' });
  await expect(features.getByRole('heading', { level: 3 })).toHaveText([
    'Fast Transfers of Any Size',
    'Scheduled Transfers',
    'Email Notifications',
    'Secure Sharing',
    'Advanced Analytics',
    'File Previews',
  ]);
  await expect(features.getByText('And a REST API.')).toBeVisible();
  const steps = page.getByRole('region', { name: 'How It Works' });
  await expect(steps.getByRole('heading', { level: 3 })).toHaveText([/Upload/, /Share/, /Download/]);
  const stats = page.getByRole('region', { name: 'Sendwell in numbers' });
  for (const text of ['10K+', 'files shared', '2K+', 'active users', '500GB', 'storage used']) {
    await expect(stats.getByText(text, { exact: true })).toBeVisible();
  }
  const footer = page.getByRole('contentinfo');
  for (const [name, path] of [
    ['Pricing', '/pricing'],
    ['Terms', '/terms'],
    ['Privacy', '/privacy'],
    ['Sign In', '/auth'],
  ] as const) {
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', path);
  }
});

test('leads visitors to sign up', async ({ page }) => {
  await page.goto('/');
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Pricing' })).toHaveAttribute('href', '/pricing');
  await expect(header.getByRole('link', { name: 'Sign In' })).toHaveAttribute('href', '/auth');
  await expect(header.getByRole('link', { name: 'Dashboard' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Upload Files' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Get Started Free' }).click();
  await expect(page).toHaveURL('/auth?mode=sign-up');
  await expect(page.getByRole('heading', { name: 'Create Account' })).toBeVisible();
});

test('leads signed-in users to their dashboard without layout shifts', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  await page.goto('/');
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/dashboard');
  await expect(header.getByRole('link', { name: 'Sign In' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Get Started Free' })).toHaveCount(0);
  expect(await listLayoutShifts(page)).toEqual([]);
  await page.getByRole('link', { name: 'Upload Files' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('heading', { name: 'My Transfers' })).toBeVisible();
});

test('the hero shows the configured premium limits, or 50 GB and 90 days without them', {
  tag: '@all',
}, async ({ page, ownServer }) => {
  await page.route('**/api/tier-config', (route) => route.abort());
  await page.goto(ownServer.url);
  const hero = page.getByRole('main').getByRole('list').first();
  await expect(hero).toContainText('50 GB per transfer');
  await expect(hero).toContainText('90 days retention');
  await page.unroute('**/api/tier-config');
  changePlans(ownServer, { premium: { storagePerTransfer: 80 * 1024 ** 3, retentionDays: 60 } });
  await page.reload();
  await expect(hero).toContainText('80 GB per transfer');
  await expect(hero).toContainText('60 days retention');
});

test('the theme applies to all pages', { tag: '@all' }, async ({ page }) => {
  await page.goto('/');
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await expect(root).toHaveAttribute('data-theme', 'light');
  await expect(page.getByRole('button', { name: 'Switch to system theme' })).toBeVisible();
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click();
  await expect(page).toHaveURL('/terms');
  await expect(root).toHaveAttribute('data-theme', 'light');
  await expect(page.getByRole('button', { name: 'Switch to system theme' })).toBeVisible();
  await page.goto('/auth');
  await expect(root).toHaveAttribute('data-theme', 'light');
});

test('works without JavaScript', { tag: '@all' }, async ({ browser, server }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Share Files Simply' })).toBeVisible();
  await expect(page.getByText('50 GB per transfer')).toBeVisible();
  // Buttons that would do nothing are hidden.
  await expect(page.getByRole('button')).toHaveCount(0);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click();
  await expect(page.getByRole('heading', { name: 'Privacy Policy' })).toBeVisible();
  await context.close();
});

test('a first visit loads less than 10 KB of script from this server and paints the HTML', async ({
  page,
  server,
}) => {
  const foreign: string[] = [];
  const complaints: string[] = [];
  let scriptBytes = 0;
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) foreign.push(request.url());
  });
  page.on('console', (message) => {
    // Nobody is signed in, and the browser logs the 401.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  page.on('response', async (response) => {
    const isScript = response.headers()['content-type']?.includes('javascript');
    if (isScript) scriptBytes += (await response.body()).length;
  });
  const html = await (await page.goto('/'))!.text();
  await page.waitForLoadState('networkidle');
  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
  expect(scriptBytes).toBeGreaterThan(0);
  expect(scriptBytes).toBeLessThan(10_000);
  expect(await listLayoutShifts(page)).toEqual([]);
  const largest = await findLargestPaint(page);
  expect(html).toContain(largest.trim().split(/\s+/)[0]);
});

for (const size of [
  { width: 412, height: 823 },
  { width: 1280, height: 800 },
]) {
  test(`a late font moves nothing at ${size.width} px`, { tag: '@all' }, async ({ page }) => {
    let release = () => {};
    const isPainted = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.setViewportSize(size);
    await page.route('**/*.woff2', (route) => isPainted.then(() => route.continue()));
    await page.goto('/', { waitUntil: 'commit' });
    await findLargestPaint(page);
    release();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await expect
      .poll(() => page.evaluate(`document.fonts.check('16px "Instrument Sans Variable"')`))
      .toBe(true);
    expect(await listLayoutShifts(page)).toEqual([]);
  });
}

test('can be navigated by keyboard', { tag: '@all' }, async ({ page }) => {
  await page.goto('/');
  const stops = ['Skip to content', 'Sendwell home', 'Pricing', 'Switch to light theme', 'Sign In'];
  const hero = ['Get Started Free', 'Enter a pickup code', 'Choose files', 'Choose a folder'];
  for (const name of [...stops, ...hero]) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    await expect(focused).toHaveAccessibleName(name);
    await expect(focused).toHaveCSS('outline-style', 'solid');
  }
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('is accessible and fits the narrowest windows', { tag: '@all' }, async ({ page }) => {
  await page.goto('/');
  await expectAccessible(page, 'the landing page');
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
  }
});

test('navigating back to the landing page loads its document', {
  tag: '@all',
}, async ({ page }) => {
  await page.goto('/no/such/page');
  await page.getByRole('link', { name: 'Back to the home page' }).click();
  await expect(page.getByRole('heading', { name: 'Share Files Simply' })).toBeVisible();
  await page.goto('/auth');
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible();
  await page.evaluate("history.pushState(null, '', '/'); dispatchEvent(new PopStateEvent('popstate'))");
  await expect(page.getByRole('heading', { name: 'Share Files Simply' })).toBeVisible();
  // The router ignores case; the server does not.
  await page.goto('/Terms');
  await expect(page).toHaveURL('/terms');
  await expect(page.getByRole('heading', { level: 1, name: 'Terms of Service' })).toBeVisible();
});

/** Visible layout shifts without user input (a tenth of a "good" CLS). Fonts that load late shift words by less. */
function listLayoutShifts(page: Page): Promise<string[]> {
  return page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const sources = list.getEntries().filter(({ value }) => value > 0.01).flatMap((entry) => entry.sources);
      resolve(sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.textContent ?? 'unknown'));
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve([])));
  })`);
}

/** Text of the largest contentful paint. */
function findLargestPaint(page: Page): Promise<string> {
  return page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).element?.textContent ?? ''))
      .observe({ type: 'largest-contentful-paint', buffered: true });
  })`);
}
