import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { listTransfers, type Transfer } from '../../../contracts/transfers/transfers.ts';
import { transferPage } from '../../../contracts/values/addresses/pages.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import { call } from '../../api/call.ts';
import { notify } from '../../lib/browser/notifications.ts';

/** The newest transfers, which are the ones somebody waits for. */
const WATCHED = 50;

/** Notifies of first downloads while it is mounted, also while the tab is hidden. Shows nothing. */
export function FirstDownloads() {
  useEffect(() => {
    let waiting: ReadonlySet<string> = new Set();
    const check = async () => {
      try {
        const transfers = await call(listTransfers, { query: { limit: WATCHED } });
        for (const transfer of findFirstDownloads(waiting, transfers)) await notifyOf(transfer);
        waiting = listWaiting(transfers);
      } catch (error) {
        // The page finds out by itself that the session has ended.
        if (error instanceof ApiError && error.status === 401) clearInterval(timer);
      }
    };
    const timer = setInterval(check, MINUTE_MS);
    void check();
    return () => clearInterval(timer);
  }, []);
  return null;
}

type Counted = Pick<Transfer, 'id' | 'downloadCount'>;

/** IDs of the transfers that nobody has downloaded yet. */
export function listWaiting(transfers: readonly Counted[]): ReadonlySet<string> {
  return new Set(transfers.filter(({ downloadCount }) => downloadCount === 0).map(({ id }) => id));
}

/** Those that were waiting and have been downloaded since. */
export function findFirstDownloads<T extends Counted>(waiting: ReadonlySet<string>, now: readonly T[]): T[] {
  return now.filter(({ id, downloadCount }) => downloadCount > 0 && waiting.has(id));
}

function notifyOf(transfer: Transfer): Promise<void> {
  return notify({
    title: t`First download`,
    body: t`“${nameTransfer(transfer)}” was downloaded for the first time.`,
    tag: `first-download-${transfer.id}`,
    path: transferPage(transfer.id),
  });
}
