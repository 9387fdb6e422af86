import type { Page } from '@playwright/test';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect, test } from '../actions/fixtures.ts';

const WEEK_SECONDS = 7 * 24 * 60 * 60;

test('the sidebar collapses by keyboard and button, and keeps its state', { tag: '@all' }, async ({
  memberPage: page,
}) => {
  await page.goto('/dashboard');
  const sidebar = page.locator('aside');
  await expect(sidebar).toHaveAttribute('data-state', 'expanded');
  await page.keyboard.press('Control+b');
  await expect(sidebar).toHaveAttribute('data-state', 'collapsed');
  // With Shift it is the browser's shortcut.
  await page.keyboard.press('Control+Shift+b');
  await expect(sidebar).toHaveAttribute('data-state', 'collapsed');
  await expect(page.getByRole('link', { name: 'Upload Files' }).first()).toBeVisible();
  const findCookie = async () =>
    (await page.context().cookies()).find(({ name }) => name === 'sidebar_state');
  // The browser stores what a page writes to `document.cookie` a moment later.
  await expect.poll(async () => (await findCookie())?.value).toBe('false');
  const { expires } = (await findCookie())!;
  expect(Math.abs(expires - Date.now() / 1000 - WEEK_SECONDS)).toBeLessThan(60);

  await page.reload();
  await expect(sidebar).toHaveAttribute('data-state', 'collapsed');
  await page.getByRole('button', { name: 'Toggle sidebar' }).click();
  await expect(sidebar).toHaveAttribute('data-state', 'expanded');
  await page.keyboard.press('Meta+b');
  await expect(sidebar).toHaveAttribute('data-state', 'collapsed');
});

test('no page breaks the content security policy', async ({ memberPage: page }) => {
  await page.addInitScript(`
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (event) => violations.push(event.blockedURI));`);
  for (const path of ['/auth', '/dashboard', '/dashboard/upload', '/download/nobody-knows-this-link']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('violations'), path).toEqual([]);
  }
});

test('on a phone the sidebar is a sheet', { tag: '@all' }, async ({ memberPage: page, member }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/dashboard');
  await expect(page.locator('aside')).toHaveCount(0);
  await page.getByRole('button', { name: 'Toggle sidebar' }).click();
  const sheet = page.getByRole('dialog', { name: 'Navigation' });
  await expect(sheet).toBeVisible();
  await expect(sheet.getByText(member.username)).toBeVisible();
  await sheet.getByRole('link', { name: 'Upload Files' }).click();
  await expect(page).toHaveURL('/dashboard/upload');
  await expect(sheet).toBeHidden();
});

test('the theme is dark by default, and light once chosen', { tag: '@full-browser' }, async ({ page }) => {
  await page.goto('/auth');
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await expect(root).toHaveAttribute('data-theme', 'light');
  expect(await readLocalStorage(page, 'theme')).toBe('light');
  await page.reload();
  await expect(root).toHaveAttribute('data-theme', 'light');
  await page.getByRole('button', { name: 'Switch to system theme' }).click();
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(root).toHaveAttribute('data-theme', 'dark');
  expect(await readLocalStorage(page, 'theme')).toBe('dark');
});

test('the system theme follows the system, and survives a reload', {
  tag: ['@full-browser', '@all'],
}, async ({ page }) => {
  const root = page.locator('html');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/auth');
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await page.getByRole('button', { name: 'Switch to system theme' }).click();
  await expect(root).toHaveAttribute('data-theme', 'light');
  // The key holds light or dark only.
  expect(await readLocalStorage(page, 'theme')).toBeUndefined();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  await expect(root).toHaveAttribute('data-theme', 'light');
  await page.goto('/terms');
  await expect(root).toHaveAttribute('data-theme', 'light');
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(root).toHaveAttribute('data-theme', 'dark');
});

test('a page whose code for toasts could not be loaded goes on, and shows them once it is there', {
  tag: '@all',
}, async ({ member, memberPage: page }) => {
  await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
  let isAway = true;
  const refused = Promise.withResolvers<void>();
  await page.route('**/*.js', async (route) => {
    const response = await route.fetch();
    const isToaster = (await response.text()).includes('"data-toast-region":');
    if (!isToaster || !isAway) return route.fulfill({ response });
    await route.abort();
    refused.resolve();
  });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Copy Link' }).click();
  await refused.promise;
  await expect(page.getByRole('heading', { name: 'My Transfers' })).toBeVisible();
  isAway = false;
  await expect(page.locator('[data-toast-region]')).toContainText('Link copied!');
});

test.describe('toasts', () => {
  test.beforeEach(async ({ member, memberPage: page }) => {
    await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
    // Toasts close only when the test moves the clock.
    await page.clock.install();
    await page.goto('/dashboard');
    await expect(page.getByRole('button', { name: 'Copy Link' })).toBeVisible();
    await page.clock.pauseAt(Date.now() + 60_000);
  });

  test('are shown one at a time for five seconds', { tag: '@full-browser' }, async ({ memberPage: page }) => {
    const toasts = page.locator('[data-toast-region] > li');
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(toasts).toHaveText(/Link copied!/);
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(toasts).toHaveCount(1);
    await page.clock.runFor(4_900);
    await expect(toasts).toHaveCount(1);
    await page.clock.runFor(200);
    await expect(toasts).toHaveCount(0);
  });

  test('can be focused with F8 and dismissed by keyboard', { tag: ['@all', '@full-browser'] }, async ({
    memberPage: page,
  }) => {
    const region = page.locator('[data-toast-region]');
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(region).toContainText('Link copied!');
    await page.keyboard.press('F8');
    await expect(region).toBeFocused();
    // Toasts do not close while the pointer is on them.
    await page.clock.runFor(20_000);
    await expect(region).toContainText('Link copied!');
    await region.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await expect(region.getByText('Link copied!')).toHaveCount(0);
  });

  test('are dismissed by a swipe of 50 pixels, not less', { tag: '@all' }, async ({ memberPage: page }) => {
    const toasts = page.locator('[data-toast-region] > li');
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(toasts).toHaveText(/Link copied!/);
    await drag(page, 30);
    await expect(toasts).toHaveCount(1);
    await drag(page, 80);
    await expect(toasts).toHaveCount(0);
  });
});

async function drag(page: Page, pixels: number): Promise<void> {
  const box = (await page.locator('[data-toast-region] > li').boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 100, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 100 + pixels, y, { steps: 8 });
  await page.mouse.up();
}

async function readLocalStorage(page: Page, key: string): Promise<string | undefined> {
  const { origins } = await page.context().storageState();
  return origins.flatMap(({ localStorage }) => localStorage).find(({ name }) => name === key)?.value;
}

test('a page whose code cannot be loaded says so, and loads when it is asked again', { tag: '@all' }, async ({
  visitorPage: page,
}) => {
  const code = /\/assets\/start-[^/]+\.js$/;
  await page.route(code, (route) => route.abort());
  await page.goto('/auth');
  await expect(page.getByText(/^Sendwell could not be loaded\./)).toBeVisible();
  await page.unroute(code);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});
