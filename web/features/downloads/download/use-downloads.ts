import { t } from '@lingui/core/macro';
import { useRef, useState } from 'react';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { toast } from '../../../components/feedback/toast.ts';
import { askForDownload, explainRefusal, navigateToDownload } from './start-download.ts';

export type DownloadTarget = {
  path: string;
  isZip: boolean;
  /** It needs the checksums of all files. */
  isBag?: boolean;
};

export type Downloads = {
  start: (target: DownloadTarget) => Promise<void>;
  isPreparing: (path: string) => boolean;
};

/** The browser needs a moment to take over; a second click meanwhile would count a second download. */
const HANDOVER_MS = 1200;
/** After this time the server has counted the browser's request. */
const COUNTED_AFTER_MS = 2500;

/** Starts downloads by navigating to them, and reports refusals. */
export function useDownloads(refresh: () => Promise<DownloadView | undefined>): Downloads {
  const [preparing, setPreparing] = useState<ReadonlySet<string>>(new Set());
  const running = useRef(new Set<string>());
  const mark = (path: string, isRunning: boolean) => {
    if (isRunning) running.current.add(path);
    else running.current.delete(path);
    setPreparing(new Set(running.current));
  };
  const start = async (target: DownloadTarget) => {
    if (running.current.has(target.path)) return;
    mark(target.path, true);
    const status = await askForDownload(target.path);
    if (status === 200) {
      navigateToDownload(target.path);
      toast({ title: t`Download started` });
      setTimeout(refresh, COUNTED_AFTER_MS);
      await new Promise((resolve) => setTimeout(resolve, HANDOVER_MS));
    } else {
      const view = await refresh();
      const description = explainRefusal(status, { ...target, view });
      toast({ title: t`Download failed`, description, variant: 'destructive' });
    }
    mark(target.path, false);
  };
  return { start, isPreparing: (path) => preparing.has(path) };
}
