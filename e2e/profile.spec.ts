import { updateProfile } from '../contracts/account-settings.ts';
import { getCurrentUser, login } from '../contracts/accounts.ts';
import { verifyEmailPath } from '../contracts/links.ts';
import { PAGES } from '../contracts/pages.ts';
import { expect, test } from './fixtures.ts';
import { createMember, inventPerson, PASSWORD } from './people.ts';
import { expectToast } from './upload-actions.ts';

test("§8 Toast: 'Profile Updated' for the name, saved only when changed", async ({
  member,
  memberPage: page,
}) => {
  await page.goto(PAGES.settings);
  const name = page.getByLabel('Name', { exact: true });
  const save = page.getByRole('button', { name: 'Save Name' });
  await expect(name).toHaveValue(member.name);
  await expect(save).toBeDisabled();
  await name.fill('  ');
  await save.click();
  await expect(page.getByText('Name is required', { exact: true })).toBeVisible();
  await name.fill('Vera the Second');
  await name.press('Enter');
  await expectToast(page, 'Profile Updated', 'Your name has been changed.');
  await expect(save).toBeDisabled();
  expect((await member.client.call(getCurrentUser)).name).toBe('Vera the Second');
  await expect(page.getByRole('definition').filter({ hasText: member.username })).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: 'Premium' })).toBeVisible();
});

test("§8 Toast: 'Update Failed' with the message", async ({ memberPage: page }) => {
  await page.goto(PAGES.settings);
  await page.route(updateProfile.path, (route) =>
    route.fulfill({ status: 503, body: 'The service is busy for a moment. Please try again.' }),
  );
  await page.getByLabel('Name', { exact: true }).fill('Somebody else');
  await page.getByRole('button', { name: 'Save Name' }).click();
  await expectToast(page, 'Update Failed', '503: The service is busy for a moment. Please try again.');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Somebody else');
});

test("§8 Toast: 'Password Required' and 'Profile Updated' for the e-mail address, then its proof", async ({
  server,
  member,
  memberPage: page,
}) => {
  const { email } = inventPerson();
  await page.goto(PAGES.settings);
  const change = page.getByRole('button', { name: 'Change Email' });
  await expect(change).toBeDisabled();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await expect(page.getByText('Let running uploads finish first')).toBeVisible();
  await change.click();
  await expectToast(page, 'Password Required');
  const form = page.locator('form').filter({ has: change });
  const password = form.getByLabel('Current Password');
  await expect(password).toBeFocused();
  await password.fill('not the password');
  await change.click();
  await expectToast(page, 'Update Failed', '400: Your current password is not right.');
  await expect(password).toHaveAccessibleDescription(/Your current password is not right\./);
  await password.fill(PASSWORD);
  await change.click();
  await expectToast(page, 'Profile Updated', 'Please check your email to verify your new address.');
  await expect(page).toHaveURL(verifyEmailPath(email));
  await expect(page.getByText(`The mail to ${member.email} has a link`)).toBeVisible();
  await page.getByLabel('Verification code').fill(await server.findCode(email));
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expect(page).toHaveURL('/dashboard');
  expect(await member.client.call(getCurrentUser)).toMatchObject({ email, emailVerified: true });
});

test('another spelling of the same address needs no new proof', async ({ member, memberPage: page }) => {
  const email = member.email.replace('example', 'Example');
  await page.goto(PAGES.settings);
  await page.getByLabel('Email', { exact: true }).fill(email);
  const change = page.getByRole('button', { name: 'Change Email' });
  await page.locator('form').filter({ has: change }).getByLabel('Current Password').fill(PASSWORD);
  await change.click();
  await expectToast(page, 'Profile Updated', 'Your email address has been changed.');
  await expect(page).toHaveURL(PAGES.settings);
  await expect(change).toBeDisabled();
  expect(await member.client.call(getCurrentUser)).toMatchObject({ email, emailVerified: true });
});

test('an address that somebody else has is refused at its field', async ({ server, memberPage: page }) => {
  const other = await createMember(server, 'free');
  await page.goto(PAGES.settings);
  await page.getByLabel('Email', { exact: true }).fill(other.email);
  const change = page.getByRole('button', { name: 'Change Email' });
  await page.locator('form').filter({ has: change }).getByLabel('Current Password').fill(PASSWORD);
  await change.click();
  await expectToast(page, 'Update Failed', '409: This e-mail address is already registered.');
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
});

test("§8 Toast: 'Missing Fields', 'Passwords Don't Match', 'Password Too Short', then 'Profile Updated'", async ({
  server,
  member,
  memberPage: page,
}) => {
  await page.goto(PAGES.settings);
  const change = page.getByRole('button', { name: 'Change Password' });
  const [current, next, again] = ['Current Password', 'New Password', 'Confirm New Password'].map((label) =>
    page.getByLabel(label, { exact: true }),
  );
  await change.click();
  await expectToast(page, 'Missing Fields');
  await expect(current!).toBeFocused();
  await current!.fill('not the password');
  await expect(current!).not.toHaveAttribute('aria-invalid');
  await next!.fill('12345');
  await again!.fill('54321');
  await change.click();
  await expectToast(page, "Passwords Don't Match");
  await again!.fill('12345');
  await change.click();
  await expectToast(page, 'Password Too Short');
  await next!.fill('new password');
  await again!.fill('new password');
  await change.click();
  await expectToast(page, 'Update Failed', '400: Your current password is not right.');
  await current!.fill(PASSWORD);
  await change.click();
  await expectToast(page, 'Profile Updated', 'Your password has been changed.');
  await expect(next!).toHaveValue('');
  const body = { username: member.username, password: 'new password' };
  await server.anonymous().call(login, { body });
});

test('what was typed and not saved is not lost without a question', async ({ memberPage: page }) => {
  await page.goto(PAGES.settings);
  await page.getByLabel('Name', { exact: true }).fill('Vera the Third');
  await page.getByRole('link', { name: 'My Transfers' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(page).toHaveURL(PAGES.settings);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Vera the Third');
  await page.getByRole('link', { name: 'My Transfers' }).click();
  await question.getByRole('button', { name: 'Leave page' }).click();
  await expect(page).toHaveURL('/dashboard');
});
