import type { Page } from '@playwright/test';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { createApiKey, listApiKeys } from '../../contracts/accounts/api-keys.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { expectAccessible, expectNoSidewaysScroll } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { expectToast } from '../actions/uploads.ts';

const SECTION = PAGES.settingsApiKeys;

test.describe('a pro sender', () => {
  test.use({ tier: 'pro' });

  test('creates a key, sees it once, uses it, disables it and deletes it', async ({
    server,
    member,
    memberPage: page,
  }) => {
    await page.goto(SECTION);
    const section = sectionOf(page);
    await expect(section.getByText('You have no API keys yet.')).toBeVisible();
    await expect(section.getByRole('link', { name: 'How the API works' })).toHaveAttribute(
      'href',
      '/docs/api',
    );
    await section.getByRole('button', { name: 'Create Key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Name').fill('Nightly backup');
    await form.getByLabel('Expires').selectOption('In 30 days');
    await form.getByRole('button', { name: 'Create Key' }).click();

    const shown = page.getByRole('dialog', { name: 'Your new API key' });
    const key = (await shown.getByText(/^swk_/).textContent()) ?? '';
    expect(key).toMatch(/^swk_[0-9a-z]{26}$/);
    await expect(shown.getByText(/^curl -T report.pdf/)).toContainText(
      `Bearer ${key}" ${server.url}/api/files/`,
    );
    await page.keyboard.press('Escape');
    await expect(shown).toBeVisible();
    await shown.getByRole('button', { name: 'Copy Key' }).click();
    await expectToast(page, 'Copied');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await expect(shown).toBeHidden();

    const row = section.getByRole('listitem');
    await expect(row).toContainText('Nightly backup');
    await expect(row).toContainText(`${key.slice(0, 10)}…`);
    await expect(row).toContainText('Read and write');
    await expect(row).toContainText('Never used');
    await expect(row).toContainText('Expires in 30 days');
    expect(await page.content()).not.toContain(key);
    expect(await statusWith(server.url, key)).toBe(200);
    await page.reload();
    await expect(row).toContainText('Used just now');

    await row.getByRole('switch', { name: 'Nightly backup is active' }).click();
    await expectToast(page, 'API key turned off');
    await expect(row.getByText('Off', { exact: true })).toBeVisible();
    expect(await statusWith(server.url, key)).toBe(401);
    await row.getByRole('switch').click();
    await expect(row.getByText('Off', { exact: true })).toBeHidden();

    await row.getByRole('button', { name: 'Delete Nightly backup' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete this API key?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Delete Nightly backup' }).click();
    await question.getByRole('button', { name: 'Delete key' }).click();
    await expectToast(page, 'API key deleted');
    await expect(section.getByText('You have no API keys yet.')).toBeVisible();
    expect(await statusWith(server.url, key)).toBe(401);
    expect(await member.client.call(listApiKeys)).toEqual([]);
  });

  test('can do everything by keyboard, and is warned before losing a started form', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    await page.goto(SECTION);
    const section = sectionOf(page);
    await section.getByRole('button', { name: 'Create Key' }).focus();
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await expect(form).toBeVisible();
    await form.getByLabel('Name').focus();
    await page.keyboard.type('By hand');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).press('Enter');
    await form.getByLabel('Name').press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect(form.getByLabel('Write')).not.toBeChecked();
    await form.getByLabel('Name').press('Enter');
    const shown = page.getByRole('dialog', { name: 'Your new API key' });
    await expect(shown.getByText(/^curl -H/)).toContainText('/api/transfers');
    await shown.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await expect(shown).toBeHidden();
    await expect(section.getByRole('heading', { name: 'API keys' })).toBeFocused();
    const row = section.getByRole('listitem');
    await expect(row).toContainText('Read only');
    await row.getByRole('switch').press('Space');
    await expect(row.getByText('Off', { exact: true })).toBeVisible();
    await row.getByRole('button', { name: 'Delete By hand' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete key' }).press('Enter');
    await expect(section.getByText('You have no API keys yet.')).toBeVisible();
    await expect(section.getByRole('heading', { name: 'API keys' })).toBeFocused();
  });

  test('gets an accessible list of keys in both themes, wide and narrow', {
    tag: '@all',
  }, async ({ member, memberPage: page }) => {
    await page.goto(SECTION);
    await expect(sectionOf(page).getByText('You have no API keys yet.')).toBeVisible();
    await expectAccessible(page, 'no keys');
    const long = 'The machine in the cellar that sends the pictures of the day to the printers every night';
    const expiresAt = new Date(Date.now() + 400 * DAY_MS).toISOString();
    await member.client.call(createApiKey, { body: { name: long, expiresAt } });
    await member.client.call(createApiKey, { body: { name: 'Laptop', scopes: ['read'] } });
    await page.reload();
    await expect(sectionOf(page).getByRole('listitem')).toHaveCount(2);
    await expectAccessible(page, 'keys');
    await expectNoSidewaysScroll(page);
  });

  test('gets an accessible form for a key in both themes, wide and narrow', { tag: '@all' }, async ({
    memberPage: page,
  }) => {
    // Two states in four windows.
    test.slow();
    await page.goto(SECTION);
    await sectionOf(page).getByRole('button', { name: 'Create Key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByRole('button', { name: 'Create Key' }).click();
    await expect(form.getByText('Please give the key a name.')).toBeVisible();
    await expectAccessible(page, 'the form');
    await form.getByLabel('Name').fill('x');
    await form.getByLabel('Name').press('Enter');
    await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
    await expectAccessible(page, 'the new key');
    await expectNoSidewaysScroll(page);
  });
});

test.describe('a free sender', () => {
  test.use({ tier: 'free' });

  test('sees what API keys offer and how to upgrade', { tag: '@all' }, async ({ memberPage: page }) => {
    await page.goto(SECTION);
    const section = sectionOf(page);
    await expect(section).toContainText('API access comes with the Pro and Premium plans.');
    await expect(section.getByRole('link', { name: 'Upgrade' })).toHaveAttribute('href', '/pricing');
    await expect(section.getByRole('button')).toHaveCount(0);
    await expectAccessible(page, 'the offer');
  });
});

function sectionOf(page: Page) {
  return page.getByRole('region', { name: 'API keys' });
}

async function statusWith(url: string, key: string): Promise<number> {
  const answer = await fetch(url + getCurrentUser.path, { headers: { authorization: `Bearer ${key}` } });
  return answer.status;
}
