import { getCurrentUser, register } from '../contracts/accounts.ts';
import { verifyEmailPath } from '../contracts/links.ts';
import { sendTransfer } from '../server/testing/send-transfer.ts';
import { expectAccessible } from './accessibility.ts';
import { holdCall } from './account-forms.ts';
import { expect, test } from './fixtures.ts';
import { inventPerson, PASSWORD, signIn } from './people.ts';

const PROTECTED_PAGES = [
  '/dashboard',
  '/dashboard/upload',
  '/dashboard/transfer/unknown',
  '/dashboard/settings',
];
const NOT_FOUND = ['404 Page Not Found', 'Did you forget to add the page to the router?'] as const;

test('§6 Anonymous: landing, terms, privacy, auth and download pages', async ({ page, member }) => {
  const { token } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
  const pages: [path: string, heading: string][] = [
    ['/', 'Share Files Simply'],
    ['/terms', 'Terms of Service'],
    ['/privacy', 'Privacy Policy'],
    ['/auth', 'Welcome Back'],
    [`/download/${token}`, '1 file for you'],
  ];
  for (const [path, heading] of pages) {
    expect((await page.goto(path))?.status()).toBe(200);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    await expect(page).toHaveURL(path);
  }
});

test('§6 Anonymous: the pages of an account lead to /auth, and §8 a 401 means no user', {
  tag: '@all',
}, async ({ page }) => {
  for (const path of PROTECTED_PAGES) {
    await page.goto(path);
    await expect(page).toHaveURL(({ pathname }) => pathname === '/auth');
    await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible();
    await expect(page.locator('[data-toast-region] > li')).toHaveCount(0);
  }
});

test('§2 Protected routes: a spinner fills the window while the user is being determined', {
  tag: '@all',
}, async ({ memberPage: page }) => {
  const release = await holdCall(page, getCurrentUser);
  await page.goto('/dashboard/settings');
  const spinner = page.getByRole('status').filter({ hasText: 'Loading' });
  await expect(spinner).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  release();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect(spinner).toHaveCount(0);
});

test('§6 Signed-in user: every dashboard route, and none of the pages before it', { tag: '@all' }, async ({
  member,
  memberPage: page,
}) => {
  const { id } = await sendTransfer(member.client, [{ fileName: 'note.txt', bytes: Buffer.from('note') }]);
  for (const path of [
    '/dashboard',
    '/dashboard/upload',
    `/dashboard/transfer/${id}`,
    '/dashboard/settings',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page).toHaveURL(path);
    await expect(page.getByText('Signed in as')).toBeVisible();
    await expect(page.getByText(member.username).first()).toBeVisible();
  }
  for (const path of ['/auth', '/verify-email']) {
    await page.goto(path);
    await expect(page).toHaveURL('/dashboard');
  }
});

test('§6 Not verified: every page of an account leads to /verify-email with the address', {
  tag: '@all',
}, async ({ context, page, server }) => {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  await client.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: person.username, password: PASSWORD }),
  });
  await signIn(context, { ...person, client });
  for (const path of [...PROTECTED_PAGES, '/auth']) {
    await page.goto(path);
    await expect(page).toHaveURL(verifyEmailPath(person.email));
    await expect(page.getByRole('heading', { name: 'Verify Your Email' })).toBeVisible();
  }
});

for (const tier of ['free', 'premium'] as const) {
  test.describe(`on the ${tier} plan`, () => {
    test.use({ tier });

    test('§6 Administration: a 404 page to everybody else, without a way there', { tag: '@all' }, async ({
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

test('§2 Any other path: the not-found page, with the status 404', async ({ page }) => {
  for (const path of ['/no/such/page', '/dashboard/nowhere', '/download']) {
    expect((await page.goto(path))?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: NOT_FOUND[0], exact: true })).toBeVisible();
    await expect(page.getByText(NOT_FOUND[1], { exact: true })).toBeVisible();
  }
});
