import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import {
  type DownloadView,
  listDownloadFiles,
  viewDownload,
} from '../../../contracts/transfers/downloads.ts';
import { call, callPage } from '../../api/call.ts';
import { type FilesLoading, useAllFiles } from '../../api/use-all-files.ts';
import { referrerOf } from './referrer.ts';
import { recipientQuery, type ShareAddress } from './share-address.ts';

/** The longest wait a browser's timer can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const CLOSED: Record<string, LoadedView['closed']> = {
  transfer_taken_down: 'taken-down',
  transfer_blocked: 'blocked',
};

export type LoadedView = {
  /** With all files that have been loaded so far. */
  view: DownloadView | undefined;
  loading: FilesLoading;
  error: Error | null;
  /** The transfer was there when the page opened and has been deleted since. */
  isGone: boolean;
  /** An administrator or the virus scanner has closed it, before the page opened or since. */
  closed: 'taken-down' | 'blocked' | undefined;
  /** Asks the server again; undefined when it does not answer. */
  refresh: () => Promise<DownloadView | undefined>;
};

/** A transfer as its recipients see it, looked at again the moment it expires. */
export function useDownloadView(share: ShareAddress): LoadedView {
  const { token, recipientToken } = share;
  const { data, error, refetch } = useQuery({
    queryKey: ['/api/download', token, recipientToken],
    queryFn: ({ signal }) =>
      call(viewDownload, {
        params: { token },
        query: { ...recipientQuery(share), from: referrerOf(document.referrer) },
        signal,
      }),
  });
  const fetchPage = useCallback(
    (cursor: string, signal: AbortSignal) =>
      callPage(listDownloadFiles, { params: { token }, query: { cursor }, signal }),
    [token],
  );
  const { files, loading } = useAllFiles(data, fetchPage);
  const view = useMemo(() => data && { ...data, ...(data.files && { files }) }, [data, files]);
  const refresh = useCallback(async () => {
    const result = await refetch();
    return result.isSuccess ? result.data : undefined;
  }, [refetch]);
  useRefreshAt(data?.expiresAt, refresh);
  const refusal = error instanceof ApiError ? error : undefined;
  return {
    view,
    loading,
    error,
    isGone: refusal?.status === 404,
    closed: refusal && CLOSED[refusal.code ?? ''],
    refresh,
  };
}

function useRefreshAt(instant: string | null | undefined, refresh: () => void): void {
  useEffect(() => {
    if (!instant) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      const leftMs = Date.parse(instant) - Date.now();
      timer = setTimeout(leftMs > LONGEST_TIMER_MS ? wait : refresh, Math.min(leftMs, LONGEST_TIMER_MS));
    };
    // An instant that is past here but not on the server: this clock runs ahead, there is nothing to learn.
    if (Date.parse(instant) > Date.now()) wait();
    return () => clearTimeout(timer);
  }, [instant, refresh]);
}
