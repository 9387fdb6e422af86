import { createContext, useEffect, useMemo, useRef, useState } from 'react';
import { type ArrivalProgress, viewArrival } from '../../../../contracts/transfers/arrival.ts';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { call } from '../../../api/call.ts';
import { runWhenLoaded } from '../../../lib/loading/load-persistently.ts';

/** Received bytes by file id, of the files that are arriving; undefined once everything is here. */
export const ArrivingBytes = createContext<ArrivingFiles | undefined>(undefined);

export type ArrivingFiles = {
  receivedBytes: ReadonlyMap<string, number>;
  /** Whether files can be downloaded before they have arrived. */
  startsEarly: boolean;
};

export type Arrival = {
  progress: ArrivalProgress;
  files: ArrivingFiles;
  /** The download starts by itself when everything is here. */
  isWaiting: boolean;
  setWaiting: (isWaiting: boolean) => void;
};

type ArrivalInput = {
  token: string;
  view: DownloadView | undefined;
  refresh: () => Promise<DownloadView | undefined>;
  /** Starts the download of everything. */
  onArrived: (view: DownloadView) => void;
};

/** Follows files that are still arriving. Undefined for transfers that are ready. */
export function useArrival({ token, view, refresh, onArrived }: ArrivalInput): Arrival | undefined {
  const [latest, setLatest] = useState<ArrivalProgress>();
  const [isWaiting, setWaiting] = useState(false);
  const wanted = useRef({ isWaiting, onArrived });
  useEffect(() => {
    wanted.current = { isWaiting, onArrived };
  });
  const listVersion = view?.arrival?.listVersion;
  useEffect(() => {
    if (listVersion === undefined) return;
    const stop = new AbortController();
    const onChange = async () => {
      const refreshed = await refresh();
      if (!refreshed?.files || refreshed.arrival || !wanted.current.isWaiting) return;
      setWaiting(false);
      wanted.current.onArrived(refreshed);
    };
    const { signal } = stop;
    const fetchProgress = () => call(viewArrival, { params: { token }, signal });
    const following = { listVersion, signal, fetchProgress, onProgress: setLatest, onChange };
    runWhenLoaded(
      () => import('../../../lib/loading/follow-arrival.ts'),
      ({ followArrival }) => followArrival(following),
    );
    return () => stop.abort();
  }, [token, listVersion, refresh]);
  const progress = view?.arrival && (latest ?? view.arrival);
  const files = useMemo(() => progress && describeFiles(progress), [progress]);
  return progress && files && { progress, files, isWaiting, setWaiting };
}

function describeFiles({ files, startsEarly }: ArrivalProgress): ArrivingFiles {
  return { receivedBytes: new Map(files.map(({ id, receivedBytes }) => [id, receivedBytes])), startsEarly };
}
