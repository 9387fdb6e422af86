import { t } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { toast } from '../../../components/feedback/toast.ts';
import { askForDownload, explainRefusal } from './start-download.ts';
import { DownloadRefused, pickPlace, type StreamProgress, streamDownload } from './streamed-download.ts';
import type { DownloadTarget } from './use-downloads.ts';

const REDRAW_MS = 200;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export type LiveDownload = {
  /** undefined: none is running. */
  progress: (StreamProgress & { isWaiting: boolean }) | undefined;
  start: (target: DownloadTarget, fileName: string) => Promise<void>;
  cancel: () => void;
};

/** A download that the page writes itself, with progress. */
export function useLiveDownload(refresh: () => Promise<DownloadView | undefined>): LiveDownload {
  const [progress, setProgress] = useState<LiveDownload['progress']>();
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  const start = async (target: DownloadTarget, fileName: string) => {
    if (control.current) return;
    const running = new AbortController();
    control.current = running;
    try {
      const place = await pickPlace(fileName);
      if (place) await writeTo(place, target, running.signal);
    } catch (error) {
      if (!running.signal.aborted) await tellFailure(error, target);
    } finally {
      control.current = undefined;
      setProgress(undefined);
    }
  };

  const writeTo = async (
    place: FileSystemWritableFileStream,
    { path }: DownloadTarget,
    signal: AbortSignal,
  ) => {
    try {
      // HEAD never counts, so a refusal is reported before anything is counted.
      const status = await askForDownload(path);
      if (status !== 200) throw new DownloadRefused(status);
      toast({ title: t`Download started` });
      const onProgress = throttled((now) => setProgress({ ...now, isWaiting: false }));
      const waitToGoOn = (failures: number) => {
        setProgress((last) => last && { ...last, isWaiting: true });
        return pauseBeforeTry(failures, signal);
      };
      onProgress({ receivedBytes: 0, totalBytes: 0 });
      await streamDownload({ path, sink: place, signal, onProgress, waitToGoOn });
      await place.close();
      toast({ title: t`Download complete` });
    } catch (error) {
      await place.abort().catch(() => undefined);
      throw error;
    } finally {
      void refresh();
    }
  };

  const tellFailure = async (error: unknown, { isZip }: DownloadTarget) => {
    const status = error instanceof DownloadRefused ? error.status : 0;
    const description = explainRefusal(status, { isZip, view: await refresh() });
    toast({ title: t`Download failed`, description, variant: 'destructive' });
  };

  return { progress, start, cancel: () => control.current?.abort() };
}

/** The first report immediately, then five per second. */
function throttled(report: (progress: StreamProgress) => void): (progress: StreamProgress) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (now - reportedAt < REDRAW_MS) return;
    reportedAt = now;
    report(progress);
  };
}

/** Longer after each failure. Ends early when the network is back or on abort. */
function pauseBeforeTry(failures: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return new Promise((resolve) => {
    const timer = setTimeout(end, pauseMs);
    function end() {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    }
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
