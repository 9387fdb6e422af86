import { login } from '../../contracts/accounts/accounts.ts';
import { listUsers } from '../../contracts/admin/users.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { confirm, openAsAdmin, readRow, row } from '../actions/admin.ts';
import { expect, test } from '../actions/fixtures.ts';
import { createAdmin, createMember, inventPerson } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test.describe.configure({ timeout: 180_000 });

test('users are created, found, put on a plan, made administrator, given a password and deleted', {
  tag: '@all',
}, async ({ context, server }) => {
  const page = await openAsAdmin(context, await createAdmin(server));
  const { username, email } = inventPerson();
  await page.goto(PAGES.adminUsers);

  await test.step('created', async () => {
    await page.getByRole('button', { name: 'Create User' }).click();
    const form = page.getByRole('form', { name: 'Create user' });
    await form.getByRole('button', { name: 'Create User' }).click();
    await expect(form.getByText('Username is required')).toBeVisible();
    await expect(form.getByText('Password is required')).toBeVisible();
    await expect(form.getByText('Please enter a valid email address')).toBeVisible();
    await expectAccessible(page, 'creating a user, with mistakes');
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByLabel('Username').fill(username);
    await form.getByLabel('Email').fill(email);
    await form.getByLabel('Password').fill('a first password');
    await form.getByLabel('Plan').selectOption('pro');
    await form.getByRole('button', { name: 'Create User' }).click();
    await expectToast(page, 'User created', `${username} can sign in from now on.`);
    await server.anonymous().call(login, { body: { username, password: 'a first password' } });
  });

  await test.step('created twice: the server says why, and it stands at its field', async () => {
    await page.getByRole('button', { name: 'Create User' }).click();
    const form = page.getByRole('form', { name: 'Create user' });
    await form.getByLabel('Username').fill(username);
    await form.getByLabel('Email').fill(`other-${email}`);
    await form.getByLabel('Password').fill('a first password');
    await form.getByRole('button', { name: 'Create User' }).click();
    await expectToast(page, 'Error', '409: This username is already taken.');
    await expect(form.getByText('This username is already taken.')).toBeVisible();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await confirm(page, 'Discard changes');
  });

  await test.step('found', async () => {
    await page.getByRole('textbox', { name: 'Search users' }).fill(username);
    await expect(page).toHaveURL(`${PAGES.adminUsers}?search=${username}`);
    await expect(page.getByRole('table', { name: 'Users' }).getByRole('row')).toHaveCount(2);
    await page.getByLabel('Plan', { exact: true }).selectOption('free');
    await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
    await page.getByLabel('Plan', { exact: true }).selectOption('pro');
    await expect(row(page, 'Users', username)).toBeVisible();
  });

  await test.step('put on a plan', async () => {
    const plan = row(page, 'Users', username).getByLabel(`Plan of ${username}`);
    await plan.focus();
    await page.keyboard.press('ArrowDown');
    const question = page.getByRole('alertdialog', { name: 'Change the plan to Premium?' });
    await expect(question).toContainText(`${username} moves from Pro to Premium at once`);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(plan).toBeFocused();
    await expect(plan).toHaveValue('pro');
    expect(readRow(server, 'SELECT tier FROM users WHERE username = ?', username)?.tier).toBe('pro');
    await plan.selectOption('premium');
    await expect(question).toBeVisible();
    await expectAccessible(page, 'changing a plan');
    await page.setViewportSize({ width: 1280, height: 800 });
    await confirm(page, 'Change plan');
    await expectToast(page, 'Plan changed', `${username} is on the Premium plan.`);
    expect(readRow(server, 'SELECT tier FROM users WHERE username = ?', username)?.tier).toBe('premium');
  });

  await test.step('made administrator, and no longer', async () => {
    const toggle = row(page, 'Users', username).getByRole('switch');
    await toggle.click();
    await confirm(page, 'Grant rights');
    await expectToast(page, 'Administrator added');
    await expect(toggle).toBeChecked();
    await toggle.click();
    await confirm(page, 'Revoke rights');
    await expectToast(page, 'Administrator removed');
    await expect(toggle).not.toBeChecked();
  });

  await test.step('given a password', async () => {
    await page.getByRole('button', { name: `Reset the password of ${username}` }).click();
    const form = page.getByRole('form', { name: 'Reset password' });
    await form.getByLabel('New password').fill('five5');
    await form.getByRole('button', { name: 'Reset password' }).click();
    await expect(form.getByText('Please use at least 6 characters.')).toBeVisible();
    await expectAccessible(page, 'giving a password, with a mistake');
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByLabel('New password').fill('a second password');
    await form.getByRole('button', { name: 'Reset password' }).click();
    await expectToast(page, 'Password reset');
    await server.anonymous().call(login, { body: { username, password: 'a second password' } });
  });

  await test.step('deleted, confirmed by typing', async () => {
    await page.getByRole('button', { name: `Delete ${username}` }).click();
    const form = page.getByRole('form', { name: 'Delete user' });
    await form.getByRole('button', { name: 'Delete user' }).click();
    await expect(form.getByText(`Please type ${username} to confirm`)).toBeVisible();
    await expectAccessible(page, 'deleting a user, with a mistake');
    await page.setViewportSize({ width: 1280, height: 800 });
    await form.getByLabel(`Type ${username} to confirm`).fill(username);
    await form.getByRole('button', { name: 'Delete user' }).click();
    await expectToast(page, 'User deleted');
    await expect(row(page, 'Users', username)).toHaveCount(0);
  });

  await test.step('and all of it is in the audit log', async () => {
    await page.goto(`${PAGES.adminAudit}?search=${username}`);
    const entries = page.getByRole('table', { name: 'Audit log' }).locator('tbody').getByRole('row');
    await expect(entries).toHaveCount(6);
    await expect(entries.first()).toContainText('Deleted user');
    await page.getByLabel('Action', { exact: true }).selectOption('coupon');
    await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expectAccessible(page, 'audit log');
  });
});

test('the last administrator can be neither demoted nor deleted', { tag: '@all' }, async ({
  browser,
  ownServer,
}) => {
  const admin = await createAdmin(ownServer);
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, admin);
  await page.goto(PAGES.adminUsers);
  const sentence = '409: This is the last administrator. Make someone else an administrator first.';
  await row(page, 'Users', admin.username).getByRole('switch').click();
  await confirm(page, 'Revoke rights');
  await expectToast(page, 'Error', sentence);
  await expect(row(page, 'Users', admin.username).getByRole('switch')).toBeChecked();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: `Delete ${admin.username}` }).click();
  await page.getByLabel(`Type ${admin.username} to confirm`).fill(admin.username);
  await page.getByRole('button', { name: 'Delete user' }).click();
  await expectToast(page, 'Error', sentence);
  await context.close();
});

test('users are listed page by page, also on phones', { tag: '@all' }, async ({ browser, ownServer }) => {
  const admin = await createAdmin(ownServer);
  ownServer.withDatabase((database) => {
    const model = database.prepare('SELECT * FROM users').get()!;
    const columns = Object.keys(model);
    const insert = database.prepare(
      `INSERT INTO users (${columns.map((name) => `"${name}"`).join()}) VALUES (${columns.map(() => '?').join()})`,
    );
    database.exec('BEGIN IMMEDIATE');
    for (let each = 1; each <= 120; each += 1) {
      const number = String(each).padStart(6, '0');
      const person = {
        ...model,
        id: `${String(model.id).slice(0, -6)}${number}`,
        username: `guest-${number}`,
        usernameKey: `guest-${number}`,
        email: `guest-${number}@example.org`,
        emailKey: `guest-${number}@example.org`,
        isAdmin: 0,
        createdAt: Number(model.createdAt) - each,
      };
      insert.run(...columns.map((column) => person[column as keyof typeof person] as string));
    }
    database.exec('COMMIT');
  });
  const context = await browser.newContext({ baseURL: ownServer.url });
  const page = await openAsAdmin(context, admin);
  await page.goto(`${PAGES.adminUsers}?sort=username`);
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await expect(row(page, 'Users', 'guest-000050')).toBeVisible();
  await expect(row(page, 'Users', 'guest-000051')).toHaveCount(0);
  await pager.getByRole('button', { name: 'Next' }).click();
  await expect(row(page, 'Users', 'guest-000051')).toBeVisible();
  await expect(pager).toContainText('Page 2');
  await pager.getByRole('button', { name: 'Next' }).click();
  await expect(row(page, 'Users', admin.username)).toBeVisible();
  await expect(pager.getByRole('button', { name: 'Next' })).toBeDisabled();
  await page.setViewportSize({ width: 390, height: 844 });
  const cards = page.getByRole('list', { name: 'Users' }).getByRole('listitem');
  await expect(cards).toHaveCount(21);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(cards).toHaveCount(50);
  await expectAccessible(page, 'users');
  await context.close();
});

test('users that failed to load can be retried', { tag: '@all' }, async ({ context, server }) => {
  await createMember(server, 'free');
  const page = await openAsAdmin(context, await createAdmin(server));
  await page.route(`**${listUsers.path}?*`, (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.goto(PAGES.adminUsers);
  await expect(page.getByRole('heading', { name: "The list couldn't be loaded" })).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible();
});
