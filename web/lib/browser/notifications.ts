/** `unsupported` also on plain http and in iOS browsers that did not install the app. */
export type NotificationState = NotificationPermission | 'unsupported';

export function notificationState(): NotificationState {
  return 'Notification' in window && window.isSecureContext ? Notification.permission : 'unsupported';
}

/** Call it from a click: browsers ignore or punish other requests. */
export async function askToNotify(): Promise<NotificationState> {
  if (notificationState() !== 'default') return notificationState();
  return Notification.requestPermission();
}

type Notice = {
  title: string;
  body: string;
  /** A later notification with the same tag replaces this one, also from another tab. */
  tag: string;
  /** Opened by a click. */
  path: string;
};

/** Does nothing without the user's permission. */
export async function notify({ title, path, ...options }: Notice): Promise<void> {
  if (notificationState() !== 'granted') return;
  const details = { ...options, icon: '/icon-192.png', data: { path } };
  // Browsers on Android only allow notifications of a service worker; it handles the click.
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration?.active) return registration.showNotification(title, details);
  const notification = new Notification(title, details);
  notification.onclick = () => {
    window.focus();
    notification.close();
  };
}
