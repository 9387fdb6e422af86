import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  deletePushSubscription,
  listPushSubscriptions,
  PUSH_EVENTS,
  type PushEvent,
  type PushSubscription as SavedSubscription,
  savePushSubscription,
} from '../../../../contracts/accounts/push.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import {
  askToNotify,
  type NotificationState,
  notificationState,
} from '../../../lib/browser/notifications.ts';
import {
  findBrowserSubscription,
  hashEndpoint,
  subscribeBrowser,
  supportsPush,
} from '../../../lib/browser/push.ts';

const EVENT_WORDS: Record<PushEvent, string> = {
  ready: t`An upload has finished, also on another device`,
  'first-download': t`A transfer was downloaded for the first time`,
  download: t`Every download`,
  received: t`Someone sent you files`,
  expired: t`A transfer has expired`,
  damaged: t`Files are damaged and must be sent again`,
};

const DEFAULT_EVENTS: PushEvent[] = ['ready', 'first-download', 'received', 'damaged'];

/** Notifications by the browser's push service, which also arrive while Sendwell is closed. */
export function PushChoice() {
  const [permission, setPermission] = useState<NotificationState>(notificationState);
  const { saved, publicKey, isLoading, refetch } = useSavedSubscription();
  const { mutate: save, isPending: isSaving } = useAction(
    (events: PushEvent[]) => subscribe(publicKey, events, setPermission),
    { onSuccess: () => refetch(), failure: t`Notifications couldn't be turned on` },
  );
  const { mutate: end, isPending: isEnding } = useAction(unsubscribe, { onSuccess: () => refetch() });
  const problem = explain(permission);
  const isOn = saved !== undefined && permission === 'granted';
  const change = (event: PushEvent, isWanted: boolean) => {
    const events = PUSH_EVENTS.filter((each) => (each === event ? isWanted : saved!.events.includes(each)));
    if (events.length > 0) save(events);
    else end(saved!);
  };
  return (
    <>
      <Switch
        label={t`Notify this device, also when Sendwell is closed`}
        hint={
          problem ??
          t`Your browser's push service delivers them. It learns when there is something new, but cannot read it. They end when you sign out.`
        }
        checked={isSaving ? true : isEnding ? false : isOn}
        disabled={problem !== undefined || isLoading || isSaving || isEnding}
        onChange={({ target }) => (target.checked ? save(DEFAULT_EVENTS) : saved && end(saved))}
      />
      {isOn && (
        <fieldset className="mt-4">
          <legend className="sr-only">
            <Trans>What to notify of</Trans>
          </legend>
          <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
            {PUSH_EVENTS.map((event) => (
              <Checkbox
                key={event}
                label={EVENT_WORDS[event]}
                checked={saved.events.includes(event)}
                onChange={({ target }) => change(event, target.checked)}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

/** What the server knows of this browser. */
function useSavedSubscription() {
  const { data, isPending, refetch } = useQuery({
    queryKey: ['push', 'this-browser'],
    queryFn: async () => {
      const [{ publicKey, subscriptions }, browser] = await Promise.all([
        call(listPushSubscriptions, {}),
        findBrowserSubscription(),
      ]);
      const hash = browser && (await hashEndpoint(browser));
      return { publicKey, saved: subscriptions.find(({ endpointHash }) => endpointHash === hash) };
    },
    enabled: supportsPush(),
    staleTime: 0,
  });
  return { ...data, isLoading: isPending && supportsPush(), refetch };
}

async function subscribe(
  publicKey: string | undefined,
  events: PushEvent[],
  setPermission: (state: NotificationState) => void,
): Promise<void> {
  const answer = await askToNotify();
  setPermission(answer);
  if (answer !== 'granted' || publicKey === undefined) return;
  const { endpoint, keys } = (await subscribeBrowser(publicKey)).toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await call(savePushSubscription, { body: { endpoint: endpoint ?? '', keys: { p256dh, auth }, events } });
}

async function unsubscribe({ id }: SavedSubscription): Promise<void> {
  await call(deletePushSubscription, { params: { id } });
  await (await findBrowserSubscription())?.unsubscribe();
}

function explain(state: NotificationState): string | undefined {
  if (!supportsPush() || state === 'unsupported')
    return t`This browser has no push notifications. On iPhone and iPad, install Sendwell on the home screen first.`;
  if (state === 'denied')
    return t`Notifications of this page are blocked. Allow them in the site settings of your browser first.`;
  return undefined;
}
