import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, signIn } from '../actions/people.ts';

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

  test('shows every tab of the administrator’s transfers in German', { tag: '@all' }, async ({
    context,
    server,
  }) => {
    await signIn(context, await createAdmin(server));
    const page = await context.newPage();
    for (const query of ['', '?tab=reports', '?tab=held', '?tab=lookup']) {
      await page.goto(PAGES.adminTransfers + query);
      const tabs = page.getByRole('main').getByRole('navigation');
      await expect(tabs.locator('+ *')).toBeVisible();
    }
  });

  test('another language can be chosen, and the choice stays', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
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

test('a choice reaches other devices of the account, unless they chose their own', { tag: '@all' }, async ({
  memberPage: page,
  member,
  browser,
  server,
}) => {
  await page.goto(PAGES.settingsDevice);
  await page.getByLabel('Language').selectOption({ label: 'Nederlands' });
  await expect(page.getByLabel('Taal')).toHaveValue('nl');

  const phone = await browser.newContext({ baseURL: server.url });
  await signIn(phone, member);
  const phonePage = await phone.newPage();
  await phonePage.goto(PAGES.upload);
  await expect(phonePage.locator('html')).toHaveAttribute('lang', 'nl');
  await phonePage.goto(PAGES.settingsDevice);
  await phonePage.getByLabel('Taal').selectOption({ label: 'English' });
  await expect(phonePage.getByLabel('Language')).toHaveValue('en');
  await phone.close();

  await page.goto(PAGES.upload);
  await expect(page.locator('html')).toHaveAttribute('lang', 'nl');
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
