import { PAGES } from '../../contracts/values/pages.ts';
import { expect, test } from '../actions/fixtures.ts';

test.describe('a German browser', () => {
  test.use({ locale: 'de-AT' });

  test('shows the static pages and the application in German', async ({ memberPage: page }) => {
    await page.goto(PAGES.landing);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dateien einfach teilen');
    await page.goto(PAGES.upload);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { name: 'Dateien hochladen' })).toBeVisible();
  });

  test('another language can be chosen, and the choice stays', async ({ memberPage: page }) => {
    await page.goto(PAGES.settingsDevice);
    await page.getByLabel('Sprache').selectOption({ label: 'Français' });
    await expect(page.getByLabel('Langue')).toHaveValue('fr');
    await page.goto(PAGES.landing);
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
    await page.goto(PAGES.settingsDevice);
    await page.getByLabel('Langue').selectOption({ label: 'English' });
    await expect(page.getByRole('heading', { name: 'This device' })).toBeVisible();
  });
});

test('pages that exist in no language of the browser are English', { tag: '@all' }, async ({
  browser,
  server,
}) => {
  const context = await browser.newContext({ baseURL: server.url, locale: 'pl-PL' });
  const page = await context.newPage();
  await page.goto(PAGES.auth);
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible();
  await context.close();
});
