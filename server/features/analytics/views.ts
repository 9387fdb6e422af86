import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { PUBLIC_STATUSES } from '../../platform/db/queries/public-transfers.ts';
import type { TransferViewsTable } from '../../platform/db/schema/downloads.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addressKey } from '../../platform/http/limits/rate-limits.ts';
import { isAutomated } from '../../platform/http/pages/automated-requests.ts';
import { keyedHash } from '../../platform/lib/tokens.ts';

const USER_AGENT_MAX = 512;
const REFERER_MAX = 512;
const VIEWS_PER_COMMIT = 100;

/** More waiting views mean that the database is overloaded: drop views instead of adding to its load. */
const MAX_WAITING = 1_000;

/** Repeated views of a transfer by the same visitor within this time don't count. */
export const VIEW_WINDOW_MS = 30 * MINUTE_MS;

type Deps = Pick<Context, 'db' | 'clock' | 'secret' | 'log' | 'config'>;
type Recording = {
  transfer: { id: string; userId: string };
  request: FastifyRequest;
  /** As reported by the page, because the API call's own Referer is the page itself. */
  from: string | undefined;
};
type PendingView = NewView & { previousId: string };

/** Runs in the transaction that inserts the view. */
type OnRecorded = (trx: Trx, view: NewView) => Promise<void>;

/**
 * Records page views in the background, so that no request waits for them.
 *
 * A visitor is an address (a /64 for IPv6) and a browser; no cookie is set. Visits this process remembers cost one map
 * lookup; others are written after the response, batched per transaction, and errors are only logged. The insert
 * rejects repeats that this process forgot or another one recorded: a view's id is derived from the transfer, the
 * visitor and the half hour, and the view of the previous half hour is checked too.
 *
 * The owner's visits, prefetches and visits by bots don't count.
 */
export class ViewLog {
  readonly #deps: Deps;
  readonly #onRecorded: OnRecorded;
  readonly #visitors = new RecentVisitors();
  readonly #waiting: PendingView[] = [];
  readonly #asking = new Set<Promise<void>>();
  #writing: Promise<void> | undefined;

  constructor(deps: Deps, onRecorded: OnRecorded) {
    this.#deps = deps;
    this.#onRecorded = onRecorded;
  }

  /** Returns immediately; the view is written later. */
  record(entry: Recording): void {
    const { transfer, request } = entry;
    const now = this.#deps.clock.now();
    const visit = {
      transferId: transfer.id,
      address: addressKey(request),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX),
    };
    if (isAutomated(request) || !this.#visitors.isNewView(visit, now)) return;
    const asking = this.#enqueueUnlessOwn(entry, visit, now)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'Could not record a page view.'))
      .finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
  }

  /** Resolves once all recorded views are written. Call it before closing the database. */
  async settle(): Promise<void> {
    await Promise.all(this.#asking);
    await this.#writing;
  }

  async #enqueueUnlessOwn({ transfer, request, from }: Recording, visit: Visit, now: number): Promise<void> {
    if (this.#waiting.length + this.#asking.size >= MAX_WAITING) return;
    if (await isOwnVisit(request, transfer.userId)) {
      this.#visitors.forget(visit);
      return;
    }
    this.#waiting.push(describeView(this.#deps, { visit, request, from, now }));
    this.#writing ??= this.#writeWaiting();
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#write(this.#waiting.splice(0, VIEWS_PER_COMMIT));
    }
    this.#writing = undefined;
  }

  async #write(views: PendingView[]): Promise<void> {
    const { db, log } = this.#deps;
    try {
      await transaction(db, (trx) => this.#insert(trx, views));
    } catch (error) {
      log.warn({ err: error, views: views.length }, 'Could not record page views.');
    }
  }

  async #insert(trx: Trx, views: PendingView[]): Promise<void> {
    for (const { previousId, ...view } of views) {
      const viewedAfter = view.viewedAt - VIEW_WINDOW_MS;
      if (await insertView(trx, view, { previousId, viewedAfter })) await this.#onRecorded(trx, view);
    }
  }
}

type Described = Pick<Recording, 'request' | 'from'> & { visit: Visit; now: number };

function describeView({ secret, config }: Deps, { visit, request, from, now }: Described): PendingView {
  const { transferId, address, userAgent } = visit;
  const halfHour = Math.floor(now / VIEW_WINDOW_MS);
  const idOf = (slot: number) => keyedHash(secret, 'view', transferId, address, userAgent, String(slot));
  return {
    id: idOf(halfHour),
    previousId: idOf(halfHour - 1),
    transferId,
    viewedAt: now,
    ipAddress: request.ip,
    userAgent: userAgent || null,
    referer: shortenReferer(from ?? request.headers.referer, config.publicUrl),
  };
}

/** Removes the query, which may contain private data. Returns null for the server's own pages. */
function shortenReferer(referer: string | undefined, publicUrl: string): string | null {
  const url = referer === undefined ? null : URL.parse(referer);
  if (!url || !/^https?:$/.test(url.protocol) || url.origin === URL.parse(publicUrl)?.origin) return null;
  return (url.origin + url.pathname).slice(0, REFERER_MAX);
}

/** Needs no database access without a session cookie. */
export async function isOwnVisit(request: FastifyRequest, ownerId: string): Promise<boolean> {
  const identity = await request.server.authenticator.session(request);
  return identity?.user.id === ownerId;
}

const MAX_VISITORS = 20_000;

/** Limits the rows that one address can create by changing its user agent. */
const MAX_NEW_PER_ADDRESS = 1_000;

type Visit = { transferId: string; address: string; userAgent: string };

type RecentVisitor = { firstAt: number; times: number };

/**
 * Visits of the last half hour in this process, which decide most page views without the database. Some may be missing
 * (after a restart or with too many visitors); the insert then rejects repeats.
 */
export class RecentVisitors {
  readonly #visitors = new Map<string, RecentVisitor>();
  readonly #addresses = new Map<string, RecentVisitor>();

  /** Returns whether this may be the visitor's first view in half an hour, and remembers it. */
  isNewView(visit: Visit, now: number): boolean {
    if (countVisit(this.#visitors, keyOf(visit), now) > 1) return false;
    return countVisit(this.#addresses, visit.address, now) <= MAX_NEW_PER_ADDRESS;
  }

  forget(visit: Visit): void {
    this.#visitors.delete(keyOf(visit));
  }
}

function keyOf({ transferId, address, userAgent }: Visit): string {
  return `${transferId} ${address} ${userAgent}`;
}

function countVisit(map: Map<string, RecentVisitor>, key: string, now: number): number {
  const entry = map.get(key);
  const ago = entry ? now - entry.firstAt : VIEW_WINDOW_MS;
  // A negative age means the clock was set back: start over.
  if (entry && ago >= 0 && ago < VIEW_WINDOW_MS) {
    entry.times += 1;
    return entry.times;
  }
  map.delete(key);
  map.set(key, { firstAt: now, times: 1 });
  if (map.size > MAX_VISITORS) map.delete(map.keys().next().value!);
  return 1;
}

type NewView = Pick<
  TransferViewsTable,
  'id' | 'transferId' | 'viewedAt' | 'ipAddress' | 'userAgent' | 'referer'
>;

/**
 * Inserts a view unless it exists, the view of the previous half hour (`previousId`) is younger than `viewedAfter`, or
 * the transfer is gone. A single statement, so that concurrent requests insert one view. Returns whether it inserted
 * one.
 */
async function insertView(
  trx: Trx,
  { id, transferId, viewedAt, ipAddress, userAgent, referer }: NewView,
  { previousId, viewedAfter }: { previousId: string; viewedAfter: number },
): Promise<boolean> {
  const row = await trx
    .insertInto('transferViews')
    .columns(['id', 'transferId', 'viewedAt', 'ipAddress', 'userAgent', 'referer'])
    .expression(
      trx
        .selectFrom('transfers')
        .select((eb) => [
          eb.cast<string>(eb.val(id), 'text').as('id'),
          'transfers.id as transferId',
          eb.cast<number>(eb.val(viewedAt), 'bigint').as('viewedAt'),
          eb.cast<string | null>(eb.val(ipAddress), 'text').as('ipAddress'),
          eb.cast<string | null>(eb.val(userAgent), 'text').as('userAgent'),
          eb.cast<string | null>(eb.val(referer), 'text').as('referer'),
        ])
        .where('transfers.id', '=', transferId)
        .where('status', 'in', PUBLIC_STATUSES)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('transferViews')
                .select('transferViews.id')
                .where('transferViews.id', '=', previousId)
                .where('viewedAt', '>', viewedAfter),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
