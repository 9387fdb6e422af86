import { createContext, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../../client/api-error.ts';
import {
  ARRIVAL_POLL_MS,
  type ArrivalProgress,
  viewArrival,
} from '../../../../contracts/transfers/arrival.ts';
import type { DownloadView } from '../../../../contracts/transfers/downloads.ts';
import { call } from '../../../api/call.ts';

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
  const isWanted = useRef({ isWaiting, onArrived });
  useEffect(() => {
    isWanted.current = { isWaiting, onArrived };
  });
  const isArriving = view?.arrival !== undefined;
  const listVersion = view?.arrival?.listVersion;
  useEffect(() => {
    if (!isArriving) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async () => {
      const progress = await call(viewArrival, { params: { token }, signal: stop.signal }).catch(asRefusal);
      if (stop.signal.aborted) return;
      if (progress && 'status' in progress && progress.status === 'arriving') setLatest(progress);
      const isOver = progress !== undefined && progress.status !== 'arriving';
      // The list, or what the page may show, has changed.
      if (isOver || (progress && progress.listVersion !== listVersion)) {
        const refreshed = await refresh();
        if (stop.signal.aborted) return;
        if (refreshed?.files && !refreshed.arrival && isWanted.current.isWaiting) {
          setWaiting(false);
          isWanted.current.onArrived(refreshed);
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(follow, ARRIVAL_POLL_MS);
    };
    timer = setTimeout(follow, ARRIVAL_POLL_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [token, isArriving, listVersion, refresh]);
  const progress = isArriving ? (latest ?? view.arrival) : undefined;
  const files = useMemo(() => progress && describeFiles(progress), [progress]);
  return progress && files && { progress, files, isWaiting, setWaiting };
}

/** The transfer was withdrawn, locked or closed. Undefined if the server can't be reached. */
function asRefusal(error: unknown): { status: 'refused'; listVersion: string } | undefined {
  return error instanceof ApiError && error.status < 429 ? { status: 'refused', listVersion: '' } : undefined;
}

function describeFiles({ files, startsEarly }: ArrivalProgress): ArrivingFiles {
  return { receivedBytes: new Map(files.map(({ id, receivedBytes }) => [id, receivedBytes])), startsEarly };
}
