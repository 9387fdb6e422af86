import type { Page } from '@playwright/test';
import { login } from '../../contracts/accounts/accounts.ts';
import { PAGES } from '../../contracts/values/pages.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { type Member, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

const SETTINGS = PAGES.settings;
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/18.5 Mobile/15E148 Safari/604.1';

test.describe('a free sender', () => {
  test.use({ tier: 'free' });
});

test.describe('notifications', () => {
  test.use({ tier: 'pro' });
});

test.describe('sessions', () => {
  test('show their device, and can be ended one by one or all together', async ({
    server,
    member,
    memberPage: page,
  }) => {
    for (let count = 0; count < 3; count += 1) await signInFromPhone(server.url, member);
    await page.goto(SETTINGS);
    const list = page.getByRole('list', { name: 'Sessions' });
    await expect(list.getByRole('listitem')).toHaveCount(4);
    await expect(list.getByRole('listitem').first()).toContainText('This device');
    await expect(list.getByText('Safari on iPhone')).toHaveCount(3);
    await list.getByRole('button', { name: 'Sign out Safari on iPhone' }).first().click();
    await expectToast(page, 'Signed out', 'The device has been signed out.');
    await expect(list.getByRole('listitem')).toHaveCount(3);
    await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    const question = page.getByRole('alertdialog');
    await expect(question).toContainText('The 2 other sessions end immediately');
    await question.getByRole('button', { name: 'Sign out all others' }).click();
    await expectToast(page, 'Signed out', 'All other devices have been signed out.');
    await expect(list.getByRole('listitem')).toHaveCount(1);
    await page.reload();
    await expect(list.getByRole('listitem')).toHaveCount(1);
  });
});

test.describe('deleting the account', () => {
  test('lists what is deleted, asks twice, and deletes everything', async ({
    server,
    member,
    memberPage: page,
  }) => {
    await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.alloc(2 * MIB) }]);
    await page.goto(SETTINGS);
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await expect(dialog).toContainText('1 transfer with 1 file (2 MB)');
    const deed = dialog.getByRole('button', { name: 'Delete my account' });
    await dialog.getByLabel('Password', { exact: true }).fill('not the password');
    await expect(deed).toBeDisabled();
    await dialog.getByLabel(/Type your username/).fill(member.username);
    await deed.click();
    await expectToast(page, 'Account not deleted', '400: Your current password is incorrect.');
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await deed.click();
    await expectToast(page, 'Account deleted', 'Your account and everything in it has been deleted.');
    await expect(page).toHaveURL('/auth');
    const again = server.anonymous().call(login, { body: { username: member.username, password: PASSWORD } });
    await expect(again).rejects.toMatchObject({ status: 401 });
  });
});

test.describe('the page', () => {
  test.describe.configure({ timeout: 180_000 });
  test.use({ tier: 'free' });

  test('is accessible in all its states', { tag: '@all' }, async ({ server, member, memberPage: page }) => {
    await signInFromPhone(server.url, member);
    await page.goto(SETTINGS);
    await expect(page.getByText('This device')).toBeVisible();
    await expectAccessible(page, 'settings');
    await page.getByLabel('Email', { exact: true }).fill('vera@example.net');
    await page.getByRole('button', { name: 'Change Email' }).click();
    await page.getByRole('button', { name: 'Change Password' }).click();
    await expect(page.getByText('Please enter a new password.')).toBeVisible();
    await expectAccessible(page, 'settings, with mistakes');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await expect(page.getByRole('dialog')).toContainText('No transfers');
    await expectAccessible(page, 'the question before deleting the account');
  });

  test('is the third item of the sidebar', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto('/dashboard');
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(links).toHaveText(['My Transfers', 'Upload Files', 'Settings']);
    await links.last().click();
    await expect(page).toHaveURL(SETTINGS);
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
    await expect(page).toHaveTitle('Settings · Sendwell');
  });

  test('can be navigated by its links and by keyboard', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(`${SETTINGS}#notifications`);
    await expect(page.getByRole('heading', { name: 'Notifications' })).toBeInViewport();
    const nav = page.getByRole('navigation', { name: 'Settings sections' });
    await nav.getByRole('link', { name: 'Password' }).focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${SETTINGS}#password`);
    await expect(page.getByRole('heading', { name: 'Password' })).toBeInViewport();
    await expect(nav.getByRole('link', { name: 'Password' })).toHaveAttribute('aria-current', 'location');
    await nav.getByRole('link', { name: 'Sessions' }).click();
    await expect(nav.getByRole('link', { name: 'Sessions' })).toHaveAttribute('aria-current', 'location');
    await nav.getByRole('link', { name: 'Delete account' }).click();
    await expect(nav.getByRole('link', { name: 'Delete account' })).toHaveAttribute(
      'aria-current',
      'location',
    );
    await nav.getByRole('link', { name: 'Password' }).press('Enter');
    // The fragment moves the start of the Tab order too.
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Current Password')).toBeFocused();
    await page.getByRole('switch', { name: 'Expiry' }).focus();
    await page.keyboard.press('Space');
    await expect(page.getByRole('switch', { name: 'Expiry' })).toBeChecked();
    await page.getByRole('button', { name: 'Delete account' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Delete account' })).toBeFocused();
  });

  test('fits narrow phones', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(SETTINGS);
    await expect(page.getByText('This device')).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Settings sections' })).toBeHidden();
    expect(await overflowOf(page)).toBe(0);
    await page.getByLabel('Email', { exact: true }).fill('a-rather-long-address-of-vera@sub.example.org');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowOf(page)).toBe(0);
  });
});

/** Horizontal overflow in pixels. */
function overflowOf(page: Page): Promise<number> {
  return page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
}

/** Creates a session on another device. */
async function signInFromPhone(url: string, { username }: Member): Promise<void> {
  const response = await fetch(url + login.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': PHONE },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  expect(response.status).toBe(200);
}
