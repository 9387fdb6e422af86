import { login } from '../../contracts/accounts/accounts.ts';
import { expect, test } from '../actions/fixtures.ts';
import { fillSignIn } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test.describe('signing in', () => {
  test('after too many attempts the button counts down to the next one', {
    tag: ['@all', '@full-browser'],
  }, async ({ page, member }) => {
    await page.clock.install();
    await page.goto('/auth');
    await fillSignIn(page, member.username, 'not the password');
    await page.route(login.path, (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '90' }, body: 'Too many attempts.' }),
    );
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expectToast(page, 'Login failed', '429: Too many attempts.');
    await expect(page.getByRole('button', { name: /Try again in 1:\d\d/ })).toBeDisabled();
    await page.getByLabel('Username').fill('somebody-else');
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeEnabled();
    await page.getByLabel('Username').fill(member.username);
    await expect(page.getByRole('button', { name: /Try again in/ })).toBeDisabled();
    await page.clock.runFor(91_000);
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeEnabled();
  });
});

test.describe('registration', () => {
  test('on wide windows the side panel shows the size and the retention of Premium', { tag: '@all' }, async ({
    page,
  }) => {
    await page.goto('/auth');
    const panel = page.getByRole('complementary');
    await expect(panel).toContainText('50GB');
    await expect(panel).toContainText('max file size');
    await expect(panel).toContainText('90 days');
    await expect(panel).toContainText('storage');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(panel).toBeHidden();
  });
});
