import type { Context } from '../../context.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { completeDownload, hasReachedEnd, noteReached, type Reached } from './claims.ts';
import type { RunningDownloads } from './running-downloads.ts';

type Deps = Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log' | 'leases'>;

/** How one request of a download ended. */
export type Ending = Reached & {
  /** It sent the download's last byte. */
  reachedEnd: boolean;
};

/** One request that sends bytes of a counted download; it ends once. */
export type Reading = { end(ending: Ending): Promise<void> };

/**
 * Begins a request of a download. The download is complete when its last byte has been sent and none of its
 * requests runs any more, in this process or another.
 */
export async function beginReading(
  deps: Deps,
  running: RunningDownloads,
  downloadId: string,
): Promise<Reading> {
  const { leases } = deps;
  const key = `download ${downloadId}`;
  const lease = await leases?.takeSlot(key, randomId(), {});
  running.begin(downloadId);
  const endAlone = async (ending: Ending) => {
    if (running.end(downloadId, ending)) await completeDownload(deps, downloadId);
    else await noteReached(deps, downloadId, ending);
  };
  if (!leases) return { end: endAlone };
  return {
    async end(ending) {
      running.end(downloadId, ending);
      // Noted and gone before it looks at the others: of two that end at once, one finds all done.
      await noteReached(deps, downloadId, ending);
      await lease?.release();
      if ((await leases.listBusy([key])).length > 0) return;
      if (await hasReachedEnd(deps, downloadId)) await completeDownload(deps, downloadId);
    },
  };
}
