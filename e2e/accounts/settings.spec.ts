import type { Page } from '@playwright/test';
import { login } from '../../contracts/accounts/accounts.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { type Member, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

const SETTINGS = PAGES.settings;
const SECURITY = PAGES.settingsSecurity;
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/18.5 Mobile/15E148 Safari/604.1';

test.describe('sessions', () => {
  test('show their device, and can be ended one by one or all together', async ({
    server,
    member,
    memberPage: page,
  }) => {
    for (let count = 0; count < 3; count += 1) await signInFromPhone(server.url, member);
    await page.goto(SECURITY);
    const list = page.getByRole('list', { name: 'Sessions' });
    await expect(list.getByRole('listitem')).toHaveCount(4);
    await expect(list.getByRole('listitem').first()).toContainText('This device');
    await expect(list.getByText('Safari on iPhone')).toHaveCount(3);
    await list.getByRole('button', { name: 'Sign out Safari on iPhone' }).first().click();
    await expectToast(page, 'Signed out', 'The device has been signed out.');
    await expect(list.getByRole('listitem')).toHaveCount(3);
    await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    const question = page.getByRole('dialog');
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
    await page.goto(SECURITY);
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
    await page.getByLabel('Email', { exact: true }).fill('vera@example.net');
    await page.getByRole('button', { name: 'Change Email' }).click();
    await page.getByRole('button', { name: 'Change Password' }).click();
    await expect(page.getByText('Please enter a new password.')).toBeVisible();
    await expectAccessible(page, 'the profile, with mistakes');
    await page.goto(SECURITY);
    await expect(page.locator('section').getByText('This device')).toBeVisible();
    await expectAccessible(page, 'security');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await expect(page.getByRole('dialog')).toContainText('No transfers');
    await expectAccessible(page, 'the question before deleting the account');
    await page.keyboard.press('Escape');
    for (const { name, heading } of PARTS) {
      await sections(page).getByRole('link', { name }).click();
      await expect(page.getByRole('heading', { name: heading, exact: true, level: 2 })).toBeVisible();
      await expectAccessible(page, `settings: ${name}`);
    }
  });

  test('is the third item of the sidebar, above the upgrade', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    await page.goto('/dashboard');
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(links).toHaveText(['My Transfers', 'Upload Files', 'Settings', 'Upgrade']);
    await expect(links.last()).toHaveAttribute('href', PAGES.pricing);
    await links.nth(2).click();
    await expect(page).toHaveURL(SETTINGS);
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
    await expect(page).toHaveTitle('Settings · Sendwell');
  });

  test('has parts with their own addresses and titles, reached by pointer and keyboard', {
    tag: '@all',
  }, async ({ memberPage: page }) => {
    await page.goto(SETTINGS);
    for (const { name, heading, path } of PARTS) {
      const link = sections(page).getByRole('link', { name });
      await link.focus();
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(path);
      await expect(page.getByRole('heading', { name: heading, exact: true, level: 2 })).toBeVisible();
      await expect(link).toHaveAttribute('aria-current', 'page');
      await expect(page).toHaveTitle(`${name} · Settings · Sendwell`);
      await expect(page.getByRole('link', { name: 'Settings', exact: true })).toHaveAttribute(
        'aria-current',
        'page',
      );
    }
    await page.goBack();
    await expect(page).toHaveURL(PARTS.at(-2)!.path);
    await page.reload();
    await expect(page.getByRole('heading', { name: PARTS.at(-2)!.heading, exact: true })).toBeVisible();
  });

  test('leads from the fragments of old links to the parts', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    for (const [old, now] of [
      ['#api-keys', PAGES.settingsApiKeys],
      ['?from=mail#webhooks', `${PAGES.settingsWebhooks}?from=mail`],
      ['#usage', `${PAGES.settingsPlan}#usage`],
      ['#delete-account', `${SECURITY}#delete-account`],
      ['#password', `${SETTINGS}#password`],
    ] as const) {
      await page.goto(SETTINGS + old);
      await expect(page).toHaveURL(now);
      await page.goto('about:blank');
    }
    await page.goto(`${SETTINGS}#password`);
    await expect(page.getByRole('heading', { name: 'Password' })).toBeInViewport();
  });

  test('asks before another part discards what was typed', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(SETTINGS);
    await page.getByLabel('Name', { exact: true }).fill('Vera the Third');
    await sections(page).getByRole('link', { name: 'Notifications' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await expect(page).toHaveURL(SETTINGS);
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Vera the Third');
    await sections(page).getByRole('link', { name: 'Notifications' }).click();
    await question.getByRole('button', { name: 'Leave page' }).click();
    await expect(page.getByRole('switch', { name: 'Expiry' })).toBeVisible();
    await page.getByRole('switch', { name: 'Expiry' }).focus();
    await page.keyboard.press('Space');
    await expect(page.getByRole('switch', { name: 'Expiry' })).toBeChecked();
    await page.goto(SECURITY);
    await page.getByRole('button', { name: 'Delete account' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Delete account' })).toBeFocused();
  });

  test('fits narrow phones, where the parts are a row that scrolls', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(SECURITY);
    await expect(page.getByRole('list', { name: 'Sessions' })).toContainText('This device');
    await expect(sections(page).getByRole('link', { name: 'Security' })).toBeInViewport({ ratio: 1 });
    expect(await overflowOf(page)).toBe(0);
    await page.goto(PAGES.settingsWebhooks);
    await expect(sections(page).getByRole('link', { name: 'Webhooks' })).toBeInViewport({ ratio: 1 });
    await page.goto(SETTINGS);
    await page.getByLabel('Email', { exact: true }).fill('a-rather-long-address-of-vera@sub.example.org');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowOf(page)).toBe(0);
  });
});

/** What free users see after the profile. */
const PARTS = [
  { name: 'Plan', heading: 'Plan', path: PAGES.settingsPlan },
  { name: 'Security', heading: 'Sessions', path: PAGES.settingsSecurity },
  { name: 'Notifications', heading: 'Notifications', path: PAGES.settingsNotifications },
  { name: 'API keys', heading: 'API keys', path: PAGES.settingsApiKeys },
  { name: 'Webhooks', heading: 'Webhooks', path: PAGES.settingsWebhooks },
];

function sections(page: Page) {
  return page.getByRole('navigation', { name: 'Settings sections' });
}

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
