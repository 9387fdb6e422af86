import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../contracts/values/addresses/links.ts';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { expect, test } from '../actions/fixtures.ts';
import { inventPerson, PASSWORD } from '../actions/people.ts';
import { expectToast } from '../actions/uploads.ts';

test('changing the email address requires the password and then a verification code', {
  tag: '@all',
}, async ({ server, member, memberPage: page }) => {
  const { email } = inventPerson();
  await page.goto(PAGES.settings);
  const change = page.getByRole('button', { name: 'Change Email' });
  await expect(change).toBeDisabled();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await expect(page.getByText('Wait for running uploads to finish')).toBeVisible();
  await change.click();
  await expectToast(page, 'Password Required');
  const form = page.locator('form').filter({ has: change });
  const password = form.getByLabel('Current Password');
  await expect(password).toBeFocused();
  await password.fill('not the password');
  await change.click();
  await expectToast(page, 'Update Failed', '400: Your current password is incorrect.');
  await expect(password).toHaveAccessibleDescription(/Your current password is incorrect\./);
  await password.fill(PASSWORD);
  await change.click();
  await expectToast(page, 'Profile Updated', 'Please check your email to verify your new address.');
  await expect(page).toHaveURL(verifyEmailPath(email));
  await expect(
    page.getByText(`Use the link in our email to ${member.email} to undo the change.`),
  ).toBeVisible();
  await page.getByLabel('Verification code').fill(await server.findCode(email));
  await expect(page).toHaveURL('/dashboard');
  expect(await member.client.call(getCurrentUser)).toMatchObject({ email, emailVerified: true });
});
