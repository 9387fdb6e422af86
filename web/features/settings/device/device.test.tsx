import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { getCurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import {
  answerOnce,
  expectToast,
  renderAsMember,
  screen,
  sentTo,
  waitFor,
} from '../../../testing/render-page.tsx';

afterEach(() => Reflect.deleteProperty(window, 'Notification'));

function allowNotifications(answer: NotificationPermission): void {
  const Notification = {
    permission: 'default',
    requestPermission: async () => {
      Notification.permission = answer;
      return answer;
    },
  };
  Object.assign(window, { Notification, isSecureContext: true });
}

test('the theme can follow the system', async () => {
  const { user } = await renderAsMember('/dashboard/settings/device');
  const field = await screen.findByRole('combobox', { name: 'Theme' });
  expect((field as HTMLSelectElement).value).toBe('dark');
  await user.selectOptions(field, 'Light');
  expect(localStorage.getItem('theme')).toBe('light');
  await user.selectOptions(field, 'System');
  expect(localStorage.getItem('theme')).toBeNull();
  expect(localStorage.getItem('theme-system')).toBe('on');
  await user.selectOptions(field, 'Dark');
  expect(localStorage.getItem('theme')).toBe('dark');
  expect(document.documentElement.dataset.theme).toBe('dark');
});

test('a chosen language is kept on the device and in the account, and the page reloads in it', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {});
  onTestFinished(() => {
    reload.mockRestore();
    // biome-ignore lint/suspicious/noDocumentCookie: as the page does.
    document.cookie = 'language=; Path=/; Max-Age=0';
  });
  const { user, member } = await renderAsMember('/dashboard/settings/device');
  const field = await screen.findByRole('combobox', { name: 'Language' });
  answerOnce(updateProfile, { status: 503, body: 'Please try again in a moment.' });
  await user.selectOptions(field, 'Deutsch');
  await expectToast('Update Failed', '503: Please try again in a moment.');
  expect(reload).not.toHaveBeenCalled();
  await user.selectOptions(field, 'Deutsch');
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  expect(document.cookie).toContain('language=de');
  expect(await sentTo(updateProfile)).toContainEqual({ language: 'de' });
  expect((await member.client.call(getCurrentUser)).language).toBe('de');
});

test('asks for notifications when they are switched on', async () => {
  allowNotifications('granted');
  const { user } = await renderAsMember('/dashboard/settings/device');
  const field = await screen.findByRole('switch', { name: 'Tell me when an upload ends' });
  expect((field as HTMLInputElement).checked).toBe(false);
  await user.click(field);
  await waitFor(() => expect((field as HTMLInputElement).checked).toBe(true));
  expect(localStorage.getItem('notify-upload-end')).toBe('on');
});

test('stays off and explains why if the browser refuses', async () => {
  allowNotifications('denied');
  const { user } = await renderAsMember('/dashboard/settings/device');
  const field = await screen.findByRole('switch', { name: 'Tell me about first downloads' });
  await user.click(field);
  await screen.findByText(/Notifications of this page are blocked/);
  expect((field as HTMLInputElement).checked).toBe(false);
});
