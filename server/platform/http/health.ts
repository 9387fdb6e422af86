import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { getHealth, getReadiness } from '../../../contracts/system.ts';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Db } from '../db/open.ts';
import { AppError, innermostMessage, isAppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { type Ballast, reserveOf } from '../storage/disk/disk-space.ts';
import { route } from './routing/route.ts';

type Deps = { db: Db; blobs: BlobStore; ballast: Ballast | undefined; clock: Clock; log: Log };

type Part = 'database' | 'storage';

const LOG_EVERY_MS = 10 * SECOND_MS;

const DISK_FULL = 'The disk is full. Uploads are refused until there is space again.';
const DISK_NEARLY_FULL = 'The disk is nearly full. Uploads are refused until there is more space.';

export function healthRoutes(app: FastifyInstance, deps: Deps): void {
  const readiness = new Readiness(deps);
  route(app, getHealth, async () => ({ status: 'ok' }) as const);
  route(app, getReadiness, () => readiness.check());
  // Otherwise a mistake in the storage settings would only show at the first probe or upload.
  app.addHook('onListen', async () => void readiness.check().catch(() => undefined));
}

class Readiness {
  readonly #deps: Deps;
  readonly #logged = new Map<Part, { reason: string | undefined; at: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Throws AppError `unavailable`. A full disk only degrades the server: downloads and deletions still work.
   */
  async check(): Promise<{ status: 'ok' | 'degraded'; problems?: string[] }> {
    const { db, blobs } = this.#deps;
    const [database, storage] = await Promise.allSettled([sql`select 1`.execute(db), blobs.check()]);
    this.#log('database', database);
    this.#log('storage', storage);
    if (database.status === 'rejected') throw notReady('The database does not answer.', database.reason);
    const isFull = storage.status === 'rejected' && isAppError(storage.reason, 'storage_full');
    if (storage.status === 'rejected' && !isFull)
      throw notReady('The storage does not answer.', storage.reason);
    const problem = isFull ? DISK_FULL : await this.#findLackOfSpace();
    return problem ? { status: 'degraded', problems: [problem] } : { status: 'ok' };
  }

  async #findLackOfSpace(): Promise<string | undefined> {
    const { blobs, ballast } = this.#deps;
    if (ballast?.state === 'released') return DISK_FULL;
    const space = await blobs.freeSpace();
    return space && space.freeBytes < reserveOf(space.totalBytes) ? DISK_NEARLY_FULL : undefined;
  }

  #log(part: Part, result: PromiseSettledResult<unknown>): void {
    const reason = result.status === 'rejected' ? describeReason(result.reason) : undefined;
    const logged = this.#logged.get(part);
    const { clock, log } = this.#deps;
    const now = clock.now();
    if (reason === logged?.reason || (logged && Math.abs(now - logged.at) < LOG_EVERY_MS)) return;
    this.#logged.set(part, { reason, at: now });
    if (reason === undefined) log.info({ part }, `ready again: the ${part} answers`);
    else log.error({ part, reason }, `not ready: the ${part} does not answer`);
  }
}

/** Without a cause, which would be logged with every probe. */
function notReady(message: string, reason: unknown): AppError {
  const retryAfterSeconds = isAppError(reason) ? reason.retryAfterSeconds : undefined;
  return new AppError('unavailable', { message, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

function describeReason(error: unknown): string {
  return isAppError(error, 'storage_full') ? DISK_FULL : innermostMessage(error);
}
