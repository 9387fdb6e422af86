import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session/session.ts';
import { loadPersistently, runWhenLoaded } from '../lib/loading/load-persistently.ts';

const KEY_RING = 'key-ring';

/** The user's keys in this browser by transfer; undefined while they load. Loaded only if they are needed. */
export function useKeys(isNeeded: boolean) {
  return useKeyRing('transfers', isNeeded, async (owner) =>
    (await loadPersistently(() => import('./own-keys.ts'))).loadOwnKeys(owner),
  );
}

/** The keys of the user's encrypted invitations in this browser by invitation; undefined while they load. */
export function useInboxes(isNeeded: boolean) {
  return useKeyRing('inboxes', isNeeded, async (owner) => {
    const { listInboxes } = await loadPersistently(() => import('./inbox-keys.ts'));
    return new Map((await listInboxes(owner)).map((inbox) => [inbox.invitationId, inbox]));
  });
}

/** What `load` finds for the signed-in user. Loads again when the keys in this window change. */
export function useKeyRing<Found>(
  name: string,
  isNeeded: boolean,
  load: (owner: string) => Promise<Found>,
): Found | undefined {
  const { user } = useSession();
  const owner = user?.id ?? '';
  const { data } = useQuery({
    queryKey: [KEY_RING, owner, name],
    queryFn: () => load(owner),
    enabled: isNeeded && owner !== '',
    networkMode: 'always',
  });
  useEffect(() => {
    if (!isNeeded) return;
    let stop = () => {};
    let isGone = false;
    const reload = () => void queryClient.invalidateQueries({ queryKey: [KEY_RING] });
    runWhenLoaded(
      () => import('./key-ring.ts'),
      ({ onKeysChanged }) => {
        if (!isGone) stop = onKeysChanged(reload);
      },
    );
    return () => {
      isGone = true;
      stop();
    };
  }, [isNeeded]);
  return data;
}
