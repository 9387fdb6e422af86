import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';

const NOT_FOUND = ['404 Page Not Found', 'Did you forget to add the page to the router?'] as const;

test('anonymous visitors can open landing, terms, privacy, sign-in and download pages', async ({
  page,
  member,
}) => {
  const { token } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
  const pages: [path: string, heading: string][] = [
    ['/', 'Share Files Simply'],
    ['/terms', 'Terms of Service'],
    ['/privacy', 'Privacy Policy'],
    ['/auth', 'Welcome Back'],
    [`/download/${token}`, 'note.txt'],
  ];
  for (const [path, heading] of pages) {
    expect((await page.goto(path))?.status()).toBe(200);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    await expect(page).toHaveURL(path);
  }
});

for (const tier of ['free', 'premium'] as const) {
  test.describe(`on the ${tier} plan`, () => {
    test.use({ tier });

    test('administration is a 404 page without any link to it', { tag: '@all' }, async ({
      memberPage: page,
    }) => {
      await page.goto('/dashboard');
      await expect(page.getByRole('navigation').getByRole('link', { name: 'My Transfers' })).toBeVisible();
      await expect(page.getByText('Admin Panel')).toHaveCount(0);
      for (const path of ['/admin', '/admin/dashboard', '/admin/users', '/admin/transfers']) {
        await page.goto(path);
        await expect(page.getByRole('heading', { name: NOT_FOUND[0], exact: true })).toBeVisible();
        await expect(page.getByText(NOT_FOUND[1], { exact: true })).toBeVisible();
        await expect(page).toHaveURL(path);
      }
      await expectAccessible(page, 'not found');
    });
  });
}

test('any other path shows the not-found page with status 404', async ({ page }) => {
  for (const path of ['/no/such/page', '/dashboard/nowhere', '/download']) {
    expect((await page.goto(path))?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: NOT_FOUND[0], exact: true })).toBeVisible();
    await expect(page.getByText(NOT_FOUND[1], { exact: true })).toBeVisible();
  }
});
