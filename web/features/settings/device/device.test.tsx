import { afterEach, expect, test } from 'vitest';
import { renderAsMember, screen, waitFor } from '../../../testing/render-page.tsx';

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
