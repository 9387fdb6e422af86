import { ApiError } from '../../client/api-error.ts';
import { getCurrentUser, login, verifyEmail } from '../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../contracts/accounts/settings.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { inventPerson, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

// Checks several states with axe.
test.describe.configure({ timeout: 120_000 });

const NEW_PASSWORD = 'quite another password';

test('the link in the email resets a forgotten password once', async ({ page, server, member }) => {
  await page.goto('/auth');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  await page.getByRole('button', { name: 'Send Reset Link' }).click();
  await expect(page.getByText('Please enter a valid email address', { exact: true })).toBeVisible();
  await expectAccessible(page, 'asking for a link, with a mistake');
  await page.getByLabel('Email').fill(member.email);
  await page.getByRole('button', { name: 'Send Reset Link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeFocused();
  await expectAccessible(page, 'the link is on its way');
  const link = await server.findLink(member.email, 'password-reset');

  await test.step('the new password is said twice', async () => {
    await page.goto(link);
    await page.getByLabel('New Password').fill('12345');
    await page.getByLabel('Confirm Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set New Password' }).click();
    await expect(page.getByText('Please use at least 6 characters.', { exact: true })).toBeVisible();
    await page.getByLabel('New Password').fill(`${NEW_PASSWORD}!`);
    await page.getByRole('button', { name: 'Set New Password' }).click();
    await expect(page.getByText("Passwords don't match", { exact: true })).toBeVisible();
    await expectAccessible(page, 'the new password, with a mistake');
  });

  await test.step('it opens the account, and the old sessions have ended', async () => {
    await page.getByLabel('New Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set New Password' }).click();
    await expectToast(page, 'Password changed', 'Please sign in with your new password.');
    await expect(page).toHaveURL('/auth');
    expect(await refusalOf(member.client.call(getCurrentUser))).toBe(401);
    await page.getByLabel('Username').fill(member.username);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(page).toHaveURL('/dashboard');
  });

  await test.step('the link is void from then on, also in its older form, and leads to a new one', async () => {
    await page.goto(link.replace('#token=', '?token='));
    await expect(page).toHaveURL('/reset-password');
    await page.getByLabel('New Password').fill('yet another one');
    await page.getByLabel('Confirm Password').fill('yet another one');
    await page.getByRole('button', { name: 'Set New Password' }).click();
    await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeFocused();
    await expectAccessible(page, 'a void link');
    await page.getByRole('link', { name: 'Get a new link' }).click();
    await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  });
});

test('the reset page gives the same answer for an unknown address', { tag: '@all' }, async ({
  page,
  member,
}) => {
  const answers: string[] = [];
  for (const email of [member.email, inventPerson().email]) {
    await page.goto('/reset-password');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Email').press('Enter');
    await expect(page.getByText('If there is an account with that address')).toBeVisible();
    answers.push(await page.getByRole('main').innerText());
  }
  expect(answers[1]).toBe(answers[0]);
});

test('the link sent to the old address undoes an email change, but only after a click', {
  tag: '@all',
}, async ({ page, server, member }) => {
  const { email } = inventPerson();
  await member.client.call(updateProfile, { body: { email, currentPassword: PASSWORD } });
  await member.client.call(verifyEmail, { body: { code: await server.findCode(email) } });
  const link = await server.findLink(member.email, 'email-changed');

  await page.goto(link);
  const button = page.getByRole('button', { name: 'Use my old address again' });
  await expect(button).toBeVisible();
  expect((await member.client.call(getCurrentUser)).email).toBe(email);
  await expectAccessible(page, 'the question');

  await button.click();
  await expect(page.getByRole('heading', { name: 'Your old email address is back' })).toBeFocused();
  await expectAccessible(page, 'the old address is back');
  const byOldPassword = { username: member.username, password: PASSWORD };
  expect(await refusalOf(server.anonymous().call(login, { body: byOldPassword }))).toBe(401);
  expect(await server.findLink(member.email, 'password-reset')).toContain('/reset-password#token=');

  await page.goto(link);
  await button.click();
  await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Open settings' })).toBeVisible();
});

/** Status of the refused call. */
async function refusalOf(calling: Promise<unknown>): Promise<number | undefined> {
  const error = await calling.catch((refusal: unknown) => refusal);
  return error instanceof ApiError ? error.status : undefined;
}
