import type { Page } from '@playwright/test';
import { runAxe, WCAG_AA } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';

/** Refuses and records requests to other servers. */
async function refuseForeign(page: Page, ownUrl: string): Promise<string[]> {
  const foreign: string[] = [];
  await page.context().route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(`${ownUrl}/`) || /^(?:data|blob):/.test(url)) return route.continue();
    foreign.push(url);
    return route.abort();
  });
  return foreign;
}

test('the API reference shows every chapter and contacts only its own server', { tag: '@all' }, async ({
  page,
  server,
}) => {
  const foreign = await refuseForeign(page, server.url);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto('/docs/api');
  await expect(page).toHaveTitle('API reference · Sendwell');
  await expect(page.getByRole('heading', { name: 'Sendwell API' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Send many or large files' })).toBeVisible();
  await expect(page.getByText(`${server.url}/api/files/`).first()).toBeVisible();
  const contents = page.getByRole('complementary', { name: /sidebar/i });
  for (const chapter of ['Transfers', 'Uploads', 'Downloads', 'Webhooks', 'API keys'])
    await expect(contents.getByText(chapter, { exact: true })).toBeVisible();
  await contents.getByText('Transfers', { exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Transfers', exact: true })).toBeInViewport();
  await contents.getByText('Mail the share link again').click();
  await expect(page.getByRole('heading', { name: 'Mail the share link again' })).toBeInViewport();
  await expect(page.getByText('$TRANSFER_ID/resend').first()).toBeVisible();
  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the API reference follows and changes the product’s theme, and links back', { tag: '@all' }, async ({
  page,
}) => {
  await page.goto('/');
  await page.evaluate(() => localStorage.setItem('theme', 'light'));
  await page.getByRole('contentinfo').getByRole('link', { name: 'API' }).click();
  await expect(page).toHaveURL('/docs/api');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(page.locator('body')).toHaveClass(/light-mode/);
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(page.locator('body')).toHaveClass(/dark-mode/);
  await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
  await page.getByRole('link', { name: 'Sendwell home' }).click();
  await expect(page).toHaveURL('/');
});

test('a content security policy limits the page to its own server', async ({ request }) => {
  const policy = (await request.get('/docs/api')).headers()['content-security-policy'];
  expect(policy).toContain("default-src 'none'; script-src 'self'; ");
  expect(policy).toContain("connect-src 'self'");
  const landing = (await request.get('/')).headers()['content-security-policy'];
  expect(landing).not.toContain('unsafe-inline');
});

for (const theme of ['dark', 'light'] as const)
  test(`our additions to the reference are accessible and fit, wide and narrow: ${theme}`, {
    tag: '@all',
  }, async ({ page }) => {
    await page.addInitScript((value) => localStorage.setItem('theme', value), theme);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto('/docs/api');
      await expect(page.getByRole('heading', { name: 'Rate limits' })).toBeVisible();
      // Its markup is the library's; the colors are ours.
      const ours = await runAxe(page, WCAG_AA, { within: 'header' });
      expect
        .soft(
          ours.map(({ id }) => id),
          `${width} px`,
        )
        .toEqual([]);
      const colors = await runAxe(page, { type: 'rule', values: ['color-contrast'] });
      const elements = colors.flatMap(({ nodes }) => nodes.map(({ html }) => html));
      expect.soft(elements, `${width} px`).toEqual([]);
      const shown = await page.locator('html').evaluate((root) => root.scrollWidth);
      expect.soft(shown, `${width} px`).toBeLessThanOrEqual(width);
    }
  });
