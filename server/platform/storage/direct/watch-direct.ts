import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Log } from '../../lib/logging/log.ts';
import { type DirectAccess, DirectRefusal } from '../blob-store.ts';

/** The store may be unavailable at start-up. */
const TRY_AGAIN_MS = 5 * MINUTE_MS;

type Watching = { direct: DirectAccess; publicUrl: string; log: Log };

/**
 * Probes direct access now and every few minutes until it is open. Logs the first refusal only. Returns a function that
 * stops it.
 */
export function openDirectWhenProven({ direct, publicUrl, log }: Watching): () => void {
  let hasLogged = false;
  const probe = async () => {
    try {
      await direct.prove(new URL(publicUrl).origin);
      clearInterval(timer);
      log.info({ bucket: direct.origin }, 'browsers send to and read from the bucket themselves');
    } catch (error) {
      const { message, fix } = error as DirectRefusal;
      if (!(error instanceof DirectRefusal)) log.error({ err: error }, 'the bucket could not be tried');
      else if (!hasLogged) log.warn({ fix }, `S3_DIRECT is on, but bytes go through this server: ${message}`);
      hasLogged = true;
    }
  };
  const timer = setInterval(() => void probe(), TRY_AGAIN_MS).unref();
  void probe();
  return () => clearInterval(timer);
}
