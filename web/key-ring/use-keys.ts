import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session/session.ts';

const KEY_RING = 'key-ring';

/** The user's keys in this browser by transfer; undefined while they load. Loaded only if they are needed. */
export function useKeys(isNeeded: boolean) {
  const { user } = useSession();
  const owner = user?.id ?? '';
  const { data } = useQuery({
    queryKey: [KEY_RING, owner],
    queryFn: async () => (await import('./own-keys.ts')).loadOwnKeys(owner),
    enabled: isNeeded && owner !== '',
    networkMode: 'always',
  });
  useEffect(() => {
    if (!isNeeded) return;
    let stop = () => {};
    let isGone = false;
    void import('./key-ring.ts').then(({ onKeysChanged }) => {
      if (!isGone) stop = onKeysChanged(() => void queryClient.invalidateQueries({ queryKey: [KEY_RING] }));
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [isNeeded]);
  return data;
}
