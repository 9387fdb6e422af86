import { afterEach, expect, test, vi } from 'vitest';
import { listPushSubscriptions } from '../../../../contracts/accounts/push.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { createPushBrowser } from '../../../../testing/push/push-service.ts';
import { renderAsMember, screen } from '../../../testing/render-page.tsx';

afterEach(() => vi.unstubAllGlobals());

const LABEL = 'Notify this device, also when Sendwell is closed';

/** The browser's side, which happy-dom does not have. */
function stubPush() {
  const { endpoint, keys } = createPushBrowser('https://93.184.216.34', 'device');
  let current: object | null = null;
  const subscription = {
    endpoint,
    options: {},
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      current = null;
      return true;
    },
  };
  const pushManager = {
    getSubscription: async () => current,
    subscribe: vi.fn(async () => {
      current = subscription;
      return subscription;
    }),
  };
  const registration = { pushManager };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { ready: Promise.resolve(registration), getRegistration: async () => registration },
  });
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal(
    'Notification',
    Object.assign(class {}, { permission: 'granted', requestPermission: async () => 'granted' }),
  );
  return pushManager;
}

test('a device is subscribed, its events are chosen, and it is unsubscribed', async () => {
  const pushManager = stubPush();
  const { user, member } = await renderAsMember(PAGES.settingsDevice, 'free');
  const subscriptions = async () => (await member.client.call(listPushSubscriptions)).subscriptions;
  const toggle = await screen.findByRole('switch', { name: new RegExp(LABEL) });
  await vi.waitFor(() => expect((toggle as HTMLInputElement).disabled).toBe(false));
  await user.click(toggle);
  await user.click(await screen.findByRole('checkbox', { name: 'Every download' }));
  await vi.waitFor(async () =>
    expect((await subscriptions()).map(({ events }) => events)).toEqual([
      ['ready', 'first-download', 'download', 'received', 'damaged'],
    ]),
  );
  expect(pushManager.subscribe).toHaveBeenCalledWith(expect.objectContaining({ userVisibleOnly: true }));
  await vi.waitFor(() => expect((toggle as HTMLInputElement).disabled).toBe(false));
  await user.click(toggle);
  await vi.waitFor(async () => expect(await subscriptions()).toEqual([]));
});

test('a browser without push says what to do', async () => {
  await renderAsMember(PAGES.settingsDevice, 'free');
  await screen.findByText(/This browser has no push notifications/);
});
