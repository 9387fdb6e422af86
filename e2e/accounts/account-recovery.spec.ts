import { ApiError } from '../../client/api-error.ts';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { createApiKey } from '../../contracts/accounts/api-keys.ts';
import { createWebhook } from '../../contracts/accounts/webhooks.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

// Checks several states with axe.
test.describe.configure({ timeout: 120_000 });

test('“This wasn’t me” signs everyone out, and the owner enables keys and webhooks again', {
  tag: '@all',
}, async ({ page, server, member }) => {
  const { key } = await member.client.call(createApiKey, { body: { name: 'Nightly backup' } });
  const webhook = { url: 'https://93.184.216.34/hook', events: ['transfer.ready' as const] };
  await member.client.call(createWebhook, { body: webhook });
  const link = await server.findLink(member.email, 'webhook-created');

  await page.goto(link);
  await expect(page).toHaveURL(PAGES.secureAccount);
  const button = page.getByRole('button', { name: 'Secure my account' });
  await expect(button).toBeVisible();
  await member.client.call(getCurrentUser);
  await expectAccessible(page, 'the question');
  await button.click();
  await expect(page.getByRole('heading', { name: 'Your account is secured' })).toBeFocused();
  await expectAccessible(page, 'the account is secured');
  const refusal = await member.client.call(getCurrentUser).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);

  await page.goto(link);
  await button.click();
  await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeFocused();

  await page.goto(await server.findLink(member.email, 'password-reset'));
  await page.getByLabel('New Password').fill(PASSWORD);
  await page.getByLabel('Confirm Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set New Password' }).click();
  await page.getByLabel('Username').fill(member.username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL(PAGES.dashboard);

  await page.goto(PAGES.settingsApiKeys);
  await expect(page.getByText('Disabled just now after “This wasn’t me”')).toHaveCount(1);
  await expectAccessible(page, 'settings with disabled keys');
  await page.getByRole('button', { name: 'Enable Nightly backup' }).click();
  await expectToast(page, 'API key turned on');
  await expect(page.getByRole('switch', { name: 'Nightly backup is active' })).toBeChecked();
  const byKey = await page.request.get('/api/user', { headers: { authorization: `Bearer ${key}` } });
  expect(byKey.status()).toBe(200);
  await page.goto(PAGES.settingsWebhooks);
  await expect(page.getByText('Disabled just now after “This wasn’t me”')).toHaveCount(1);
  await expectAccessible(page, 'settings with disabled webhooks');
  await page.getByRole('button', { name: 'Enable 93.184.216.34' }).click();
  await expectToast(page, 'Webhook turned on');
  await expect(page.getByText('Disabled just now')).toHaveCount(0);
});
