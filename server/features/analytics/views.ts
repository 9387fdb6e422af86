import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { isPrefetch } from '../../platform/http/prefetch.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { keyedHash } from '../../platform/lib/tokens.ts';
import { isOwnVisit } from './own-visit.ts';
import { insertView, type NewView } from './queries.ts';
import { type Look, RecentVisitors, VIEW_WINDOW_MS } from './recent-visitors.ts';

const USER_AGENT_MAX = 512;
const REFERER_MAX = 512;
const VIEWS_PER_COMMIT = 100;

/** More than this waiting means that the database is in trouble; views are not worth adding to it. */
const MAX_WAITING = 1_000;

type Deps = Pick<Context, 'db' | 'clock' | 'secret' | 'log' | 'config'>;
type Seen = {
  transfer: { id: string; userId: string };
  request: FastifyRequest;
  /** The page's own referrer, if it told one: that of its call is the page. */
  from: string | undefined;
};
type NotedView = NewView & { previousId: string };

/** Runs in the transaction that inserts a view. */
type OnNoted = (trx: Trx, view: NewView) => Promise<void>;

/**
 * Notes page views without making anybody wait for it.
 *
 * A visitor is an address (the /64 of IPv6) and a browser; no cookie is set for it. A look that this process
 * remembers costs one look into a map. Any other is written after the answer, with those that came meanwhile,
 * in one commit; an error is logged and never reaches a request. What this process has forgotten, or another
 * one has noted, the insert refuses: a view's id is made of the transfer, the visitor and the half hour on the
 * clock, so there is one in each, and none within half an hour of the one before.
 *
 * Looks of the owner and prefetches are no views.
 */
export class ViewLog {
  readonly #deps: Deps;
  readonly #onNoted: OnNoted;
  readonly #visitors = new RecentVisitors();
  readonly #waiting: NotedView[] = [];
  readonly #asking = new Set<Promise<void>>();
  #writing: Promise<void> | undefined;

  constructor(deps: Deps, onNoted: OnNoted) {
    this.#deps = deps;
    this.#onNoted = onNoted;
  }

  /** Returns at once; the view is noted later, if it is one. */
  record(seen: Seen): void {
    const { transfer, request } = seen;
    const now = this.#deps.clock.now();
    const look = {
      transferId: transfer.id,
      address: addressKey(request),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX),
    };
    if (isPrefetch(request) || !this.#visitors.isFirstLook(look, now)) return;
    const asking = this.#enqueueUnlessOwn(seen, look, now)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'A view was not noted.'))
      .finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
  }

  /** Resolves when all that was recorded is written; before the database is closed. */
  async settle(): Promise<void> {
    await Promise.all(this.#asking);
    await this.#writing;
  }

  async #enqueueUnlessOwn({ transfer, request, from }: Seen, look: Look, now: number): Promise<void> {
    if (this.#waiting.length + this.#asking.size >= MAX_WAITING) return;
    if (await isOwnVisit(request, transfer.userId)) {
      this.#visitors.forget(look);
      return;
    }
    this.#waiting.push(describeView(this.#deps, { look, request, from, now }));
    this.#writing ??= this.#writeWaiting();
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#write(this.#waiting.splice(0, VIEWS_PER_COMMIT));
    }
    this.#writing = undefined;
  }

  async #write(views: NotedView[]): Promise<void> {
    const { db, log } = this.#deps;
    try {
      await transaction(db, (trx) => this.#insert(trx, views));
    } catch (error) {
      log.warn({ err: error, views: views.length }, 'Views were not noted.');
    }
  }

  async #insert(trx: Trx, views: NotedView[]): Promise<void> {
    for (const { previousId, ...view } of views) {
      const viewedAfter = view.viewedAt - VIEW_WINDOW_MS;
      if (await insertView(trx, view, { previousId, viewedAfter })) await this.#onNoted(trx, view);
    }
  }
}

type Described = Pick<Seen, 'request' | 'from'> & { look: Look; now: number };

function describeView({ secret, config }: Deps, { look, request, from, now }: Described): NotedView {
  const { transferId, address, userAgent } = look;
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

/** Where the visitor came from, without the query (it may hold anything); our own pages are nowhere. */
function shortenReferer(referer: string | undefined, publicUrl: string): string | null {
  const url = referer === undefined ? null : URL.parse(referer);
  if (!url || !/^https?:$/.test(url.protocol) || url.origin === URL.parse(publicUrl)?.origin) return null;
  return (url.origin + url.pathname).slice(0, REFERER_MAX);
}
