import type { Locator, Page } from '@playwright/test';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { PAGES, transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible, resizeWindow } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, signIn } from '../actions/people.ts';

const FILES = [{ fileName: 'pier.txt', bytes: Buffer.from('pier') }];

test('the command palette finds a transfer by keyboard alone, and is accessible', async ({
  member,
  memberPage: page,
}) => {
  const { id } = await sendTransfer(member.client, FILES, { title: 'Harbour in spring' });
  await page.goto(PAGES.settings);
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search or jump to…' });
  await expect(field).toBeFocused();
  await expectAccessible(page, 'the palette');
  await page.keyboard.type('harbour');
  await expect(page.getByRole('option', { name: /Harbour in spring/ })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await expectAccessible(page, 'the palette with a result');
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('harbour');
  await page.getByRole('option', { name: /Harbour in spring/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(transferPage(id));
  await expect(field).toBeHidden();
});

test('Escape calls off a palette that is still loading', { tag: '@all' }, async ({ memberPage: page }) => {
  await page.goto(PAGES.settings);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Somebody');
  const load = await holdPalette(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('not wanted');
  await page.keyboard.press('Escape');
  await page.keyboard.type(' else');
  await expect(name).toHaveValue('Somebody else');
  load();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search or jump to…' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('');
});

test('the palette does not change or lose what was typed on the page', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto(PAGES.settings);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Somebody else');
  const load = await holdPalette(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('my trans');
  load();
  const field = page.getByRole('combobox', { name: 'Search or jump to…' });
  await expect(field).toBeFocused();
  await page.keyboard.type('fers');
  await expect(field).toHaveValue('my transfers');
  await expect(name).toHaveValue('Somebody else');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question).toBeVisible();
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(page).toHaveURL(PAGES.settings);
  await expect(question).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(field).toHaveValue('');
});

test('the list of shortcuts is accessible, and N starts an upload', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto(PAGES.dashboard);
  await expect(page.getByRole('heading', { name: 'My Transfers' })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(page, 'the list of shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await expect(page).toHaveURL(PAGES.upload);
});

test('the tooltip of the sidebar’s button closes with the sheet', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(PAGES.dashboard);
  await expect(page.getByText('No transfers yet')).toBeVisible();
  const toggle = page.getByRole('button', { name: 'Toggle sidebar' });
  await expect(toggle).toBeVisible();
  // The first is "Skip to content".
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(toggle).toBeFocused();
  await expect(page.getByRole('tooltip')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeHidden();
  await expect(toggle).toBeFocused();
  await expect(page.getByRole('tooltip')).toBeHidden();
});

test('forced colours keep edges, the focus and states visible', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(PAGES.dashboard);
  const ground = await colorOf(page.locator('body'), 'backgroundColor');
  const [current, other] = ['My Transfers', 'Settings'].map((name) =>
    page.getByRole('navigation').getByRole('link', { name }),
  );
  await expect(current!).toHaveAttribute('aria-current', 'page');
  expect(await colorOf(current!, 'backgroundColor')).not.toBe(await colorOf(other!, 'backgroundColor'));
  for (const button of [
    page.getByRole('link', { name: 'New Upload' }),
    page.getByRole('button', { name: 'Toggle sidebar' }),
  ]) {
    await expect(button).not.toHaveCSS('border-top-width', '0px');
    expect(await colorOf(button, 'borderTopColor')).not.toBe(ground);
  }
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  await expect(focused).toHaveCSS('outline-style', 'solid');
  expect(await colorOf(focused, 'outlineColor')).not.toBe(ground);

  await page.keyboard.press('Control+k');
  const option = page.getByRole('option');
  await expect(option.first()).toHaveAttribute('aria-selected', 'true');
  expect(await colorOf(option.first(), 'backgroundColor')).not.toBe(
    await colorOf(option.nth(1), 'backgroundColor'),
  );
  await page.goto(PAGES.settingsDevice);
  // The browser draws it, with its own sign for "on".
  await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).toHaveCSS('appearance', 'auto');
});

test('targets have at least 24 pixels, wide and narrow', { tag: '@all' }, async ({ server, context }) => {
  test.setTimeout(180_000);
  const admin = await createAdmin(server);
  const { id, token } = await sendTransfer(admin.client, FILES, { title: 'Harbour' });
  await signIn(context, admin);
  const page = await context.newPage();
  const { landing, dashboard, upload, settings, invitations, pricing, terms, analytics } = PAGES;
  const { adminDashboard, adminUsers, adminTransfers, adminCoupons, adminAds, adminSettings } = PAGES;
  const { adminRegistration, adminSingleSignOn, adminSystem, adminAudit } = PAGES;
  for (const path of [
    ...[landing, dashboard, upload, settings, invitations, pricing, terms, analytics],
    ...[adminDashboard, adminUsers, adminTransfers, adminCoupons, adminAds, adminSettings],
    ...[adminRegistration, adminSingleSignOn, adminSystem, adminAudit],
    ...[transferPage(id), sharePath(token)],
  ]) {
    await page.goto(path, { waitUntil: 'networkidle' });
    for (const width of [1280, 320]) {
      await resizeWindow(page, { width, height: 800 });
      expect.soft(await listSmallTargets(page), `${path}, ${width} px`).toEqual([]);
    }
  }
});

type ColorProperty = 'backgroundColor' | 'borderTopColor' | 'outlineColor';

type StyledElement = {
  ownerDocument: { defaultView: { getComputedStyle(element: unknown): Record<string, string> } };
};

function colorOf(element: Locator, property: ColorProperty): Promise<string | undefined> {
  return element.evaluate(
    (each: StyledElement, name) => each.ownerDocument.defaultView.getComputedStyle(each)[name],
    property,
  );
}

/** WCAG 2.5.8, without its exception for spacing; links in sentences are exempt. */
const SMALL_TARGETS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role="button"]')]
  .filter((each) => !each.closest('[hidden], [inert], .sr-only') && each.type !== 'file')
  .map((each) => ({ each, box: each.getBoundingClientRect(), style: getComputedStyle(each) }))
  .filter(({ box, style }) => box.width > 2 && box.height > 2 && style.opacity !== '0' && style.visibility !== 'hidden')
  .filter(({ box }) => box.width < 24 || box.height < 24)
  .filter(({ each, style }) => style.display !== 'inline' || each.parentElement.textContent.trim() === each.textContent.trim())
  .map(({ each, box }) => each.tagName + ' ' + (each.getAttribute('aria-label') ?? each.textContent).slice(0, 40) + ' ' + Math.round(box.width) + 'x' + Math.round(box.height))`;

async function listSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(SMALL_TARGETS);
}

/** Holds the script of the palette until the returned function is called. */
async function holdPalette(page: Page): Promise<() => void> {
  const loading = Promise.withResolvers<void>();
  await page.route('**/command-palette-*.js', async (route) => {
    await loading.promise;
    await route.continue();
  });
  return loading.resolve;
}
