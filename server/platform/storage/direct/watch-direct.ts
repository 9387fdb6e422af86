import { MINUTE_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type DirectAccess, DirectRefusal } from '../blob-store.ts';

/** A store that is away when we start may be there later. */
const TRY_AGAIN_MS = 5 * MINUTE_MS;

type Watching = { direct: DirectAccess; publicUrl: string; log: Log };

/**
 * Proves the direct way now, and again every few minutes until it is open. Why it is not is said once. Returns
 * what ends the watch.
 */
export function openDirectWhenProven({ direct, publicUrl, log }: Watching): () => void {
  let hasTold = false;
  const look = async () => {
    try {
      await direct.prove(new URL(publicUrl).origin);
      clearInterval(timer);
      log.info({ bucket: direct.origin }, 'browsers send to and read from the bucket themselves');
    } catch (error) {
      const { message, fix } = error as DirectRefusal;
      if (!(error instanceof DirectRefusal)) log.error({ err: error }, 'the bucket could not be tried');
      else if (!hasTold) log.warn({ fix }, `S3_DIRECT is on, but bytes go through this server: ${message}`);
      hasTold = true;
    }
  };
  const timer = setInterval(() => void look(), TRY_AGAIN_MS).unref();
  void look();
  return () => clearInterval(timer);
}
