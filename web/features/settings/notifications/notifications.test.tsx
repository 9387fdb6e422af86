import { onlineManager } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import { getPreferences, updatePreferences } from '../../../../contracts/accounts/settings.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../../testing/uploads/send-transfer.ts';
import {
  cutOnce,
  expectToast,
  holdCall,
  renderAsMember,
  renderPage,
  resetPage,
  screen,
  server,
  waitFor,
} from '../../../testing/render-page.tsx';

test('a free user sees the month, the upgrade link and which mails are a Pro Feature', async () => {
  const member = await createMember(server, 'free');
  await sendTransfer(member.client, [{ fileName: 'a.bin', bytes: Buffer.alloc(2 * MIB) }]);
  const user = renderPage(PAGES.settingsPlan, { as: member });
  const usage = await screen.findByTestId('usage');
  await waitFor(() => expect(usage.textContent).toContain('2 MB'));
  expect(usage.textContent).toContain('of 10 GB this month');
  expect(screen.getAllByRole('link', { name: 'Upgrade' })[0]!.getAttribute('href')).toBe('/pricing');
  await user.click(screen.getByRole('link', { name: 'Notifications' }));
  await screen.findAllByText('Pro Feature');
  expect(screen.getAllByText('Pro Feature')).toHaveLength(2);
  for (const name of ['Downloads', 'Views']) {
    expect(toggle(name).disabled).toBe(true);
    expect(isOn(name)).toBe(false);
  }
  await user.click(toggle('Expiry'));
  await waitFor(async () =>
    expect(await member.client.call(getPreferences)).toMatchObject({ emailOnExpiry: true }),
  );
});

test('a change that is made offline is refused at once, not kept waiting', async () => {
  const { user } = await renderAsMember(PAGES.settingsNotifications, 'pro');
  await waitForPreferences();
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  cutOnce(updatePreferences);
  await user.click(toggle('Views'));
  await expectToast('Update Failed');
  expect(isOn('Views')).toBe(false);
});

test('notifications have their defaults, and each change is saved at once', async () => {
  const { user, member } = await renderAsMember(PAGES.settingsNotifications, 'pro');
  await waitForPreferences();
  expect(screen.queryByText('Pro Feature')).toBeNull();
  expect([isOn('Downloads'), isOn('Views'), isOn('Expiry')]).toEqual([true, false, false]);
  await user.click(toggle('Downloads'));
  await user.click(toggle('Views'));
  await waitFor(async () =>
    expect(await member.client.call(getPreferences)).toEqual({
      emailOnDownload: false,
      emailOnView: true,
      emailOnExpiry: false,
      emailOnReopenRequest: true,
    }),
  );
  resetPage();
  renderPage(PAGES.settingsNotifications, { as: member });
  await screen.findByRole('switch', { name: 'Views' });
  await waitFor(() => expect(isOn('Views')).toBe(true));
  expect(isOn('Downloads')).toBe(false);
});

test('a change that the server refuses is reverted', async () => {
  const { user } = await renderAsMember(PAGES.settingsNotifications, 'pro');
  await waitForPreferences();
  expect(isOn('Views')).toBe(false);
  const release = holdCall(updatePreferences, { status: 503, body: 'Busy for a moment.' });
  await user.click(toggle('Views'));
  await waitFor(() => expect(isOn('Views')).toBe(true));
  release();
  await expectToast('Update Failed', '503: Busy for a moment.');
  await waitFor(() => expect(isOn('Views')).toBe(false));
});

/** Until preferences load, all switches are off; by default only "Downloads" is on. */
async function waitForPreferences(): Promise<void> {
  await screen.findByRole('switch', { name: 'Downloads' });
  await waitFor(() => expect(isOn('Downloads')).toBe(true));
}

function toggle(name: string): HTMLInputElement {
  return screen.getByRole<HTMLInputElement>('switch', { name });
}

function isOn(name: string): boolean {
  return toggle(name).checked;
}
