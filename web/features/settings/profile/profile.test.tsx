import { expect, test } from 'vitest';
import { getCurrentUser, login } from '../../../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createMember, PASSWORD } from '../../../../e2e/actions/people.ts';
import {
  answerOnce,
  expectPath,
  expectToast,
  fill,
  renderAsMember,
  screen,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

test("Toast: 'Profile Updated' for the name, saved only when changed", async () => {
  const { user, member } = await renderAsMember(PAGES.settings);
  const name = await screen.findByLabelText<HTMLInputElement>('Name');
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save Name' });
  expect(name.value).toBe(member.name);
  expect(save.disabled).toBe(true);
  await fill(user, name, '  ');
  await user.click(save);
  await screen.findByText('Name is required');
  await fill(user, name, 'Vera the Second');
  await user.keyboard('{Enter}');
  await expectToast('Profile Updated', 'Your name has been changed.');
  await waitFor(() => expect(save.disabled).toBe(true));
  expect((await member.client.call(getCurrentUser)).name).toBe('Vera the Second');
  const facts = [...document.querySelectorAll('dd')].map((each) => each.textContent);
  expect(facts).toEqual(expect.arrayContaining([expect.stringContaining(member.username)]));
  expect(facts).toEqual(expect.arrayContaining([expect.stringContaining('Premium')]));
});

test("Toast: 'Update Failed' with the message", async () => {
  const { user } = await renderAsMember(PAGES.settings);
  answerOnce(updateProfile, {
    status: 503,
    body: 'The service is busy. Please try again in a moment.',
  });
  await fill(user, await screen.findByLabelText('Name'), 'Somebody else');
  await user.click(screen.getByRole('button', { name: 'Save Name' }));
  await expectToast('Update Failed', '503: The service is busy. Please try again in a moment.');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Somebody else');
});

test('a different spelling of the same address needs no verification', async () => {
  const { user, member } = await renderAsMember(PAGES.settings);
  const email = member.email.replace('example', 'Example');
  await fill(user, await screen.findByLabelText('Email'), email);
  const change = await confirmEmail(user);
  await expectToast('Profile Updated', 'Your email address has been changed.');
  await expectPath(PAGES.settings);
  await waitFor(() => expect(change.disabled).toBe(true));
  expect(await member.client.call(getCurrentUser)).toMatchObject({ email, emailVerified: true });
});

test('an address of another account is refused at its field', async () => {
  const other = await createMember(server, 'free');
  const { user } = await renderAsMember(PAGES.settings);
  await fill(user, await screen.findByLabelText('Email'), other.email);
  await confirmEmail(user);
  await expectToast('Update Failed', '409: This email address is already registered.');
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});

test("Toast: 'Missing Fields', 'Passwords Don't Match', 'Password Too Short', then 'Profile Updated'", async () => {
  const { user, member } = await renderAsMember(PAGES.settings);
  const change = await screen.findByRole('button', { name: 'Change Password' });
  const form = within(change.closest('form')!);
  const [current, next, again] = ['Current Password', 'New Password', 'Confirm New Password'].map((label) =>
    form.getByLabelText<HTMLInputElement>(label),
  );
  await user.click(change);
  await expectToast('Missing Fields');
  expect(document.activeElement).toBe(current);
  await fill(user, current!, 'not the password');
  expect(current!.hasAttribute('aria-invalid')).toBe(false);
  await fill(user, next!, '12345');
  await fill(user, again!, '54321');
  await user.click(change);
  await expectToast("Passwords Don't Match");
  await fill(user, again!, '12345');
  await user.click(change);
  await expectToast('Password Too Short');
  await fill(user, next!, 'new password');
  await fill(user, again!, 'new password');
  await user.click(change);
  await expectToast('Update Failed', '400: Your current password is incorrect.');
  await fill(user, current!, PASSWORD);
  await user.click(change);
  await expectToast('Profile Updated', 'Your password has been changed.');
  await waitFor(() => expect(next!.value).toBe(''));
  const body = { username: member.username, password: 'new password' };
  await server.anonymous().call(login, { body });
});

test('unsaved changes ask before the page is left', async () => {
  const { user } = await renderAsMember(PAGES.settings);
  await fill(user, await screen.findByLabelText('Name'), 'Vera the Third');
  await user.click(screen.getByRole('link', { name: 'My Transfers' }));
  const question = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(within(question).getByRole('button', { name: 'Stay' }));
  await expectPath(PAGES.settings);
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Vera the Third');
  await user.click(await screen.findByRole('link', { name: 'My Transfers' }));
  const again = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(within(again).getByRole('button', { name: 'Leave page' }));
  await expectPath('/dashboard');
});

async function confirmEmail(
  user: Awaited<ReturnType<typeof renderAsMember>>['user'],
): Promise<HTMLButtonElement> {
  const change = screen.getByRole<HTMLButtonElement>('button', { name: 'Change Email' });
  await user.type(within(change.closest('form')!).getByLabelText('Current Password'), PASSWORD);
  await user.click(change);
  return change;
}
