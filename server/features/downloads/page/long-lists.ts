import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { type CallLimits, createCallLimits } from '../../../platform/http/limits/call-limits.ts';
import {
  addressKey,
  requireWithinLimit,
  tooManyRequests,
} from '../../../platform/http/limits/rate-limits.ts';
import { ConcurrencyLimit } from '../../../platform/lib/concurrency/concurrency-limit.ts';
import {
  type FilePage,
  type FilePaging,
  isLongList,
  listFilePage,
  listVersionPage,
} from '../../transfers/index.ts';
import type { Share } from '../queries.ts';

const WINDOW_MS = 10 * MINUTE_MS;
/** 100,000 files are 100 pages. */
const PAGES_PER_WINDOW = 5_000;
/** Each one costs up to a second of CPU time. */
const WHOLE_LISTS_PER_WINDOW = 100;
const PAGES_AT_ONCE = 4;
const PAGES_WAITING = 64;
const SHARED_MS = 1_000;
const SHARED_PAGES = 32;

type Shared = { page: Promise<FilePage>; until: number };

/**
 * Pages of long lists are limited per address and in concurrency, and requests for the same page within a second share
 * one response. Short lists aren't limited.
 */
export class LongLists {
  readonly #context: Pick<Context, 'db' | 'blobs' | 'clock' | 'config'>;
  readonly #limits: CallLimits;
  readonly #turns = new ConcurrencyLimit(PAGES_AT_ONCE, { maxWaiting: PAGES_WAITING });
  readonly #shared = new Map<string, Shared>();

  constructor(context: Pick<Context, 'db' | 'blobs' | 'clock' | 'config'>) {
    this.#context = context;
    this.#limits = createCallLimits(context);
  }

  /** Throws AppError `invalid_input` for an unknown cursor, `too_many_requests`, `unavailable`. */
  async listPage(
    request: FastifyRequest,
    share: Share,
    place: Pick<FilePaging, 'cursor' | 'limit'>,
  ): Promise<FilePage> {
    const paging = { ...place, whole: share.maxDownloads === null };
    if (!isLongList(share)) return listFilePage(this.#context, share, paging);
    await this.#claimPage(request);
    const { id, version, fileCount, downloadCount, zipCount, ownerTier } = share;
    const key = JSON.stringify([id, version, fileCount, downloadCount, zipCount, ownerTier, paging]);
    return this.#share(key, () => this.#turns.run(() => listFilePage(this.#context, share, paging)));
  }

  /** Throws what `listPage` throws. A version can have 100,000 files, so each page counts against the limit. */
  async listVersionPage(
    request: FastifyRequest,
    version: { transferId: string; version: number },
    cursor: string | undefined,
  ): ReturnType<typeof listVersionPage> {
    await this.#claimPage(request);
    return this.#turns.run(() => listVersionPage(this.#context, version, cursor));
  }

  async claimWholeList(request: FastifyRequest): Promise<void> {
    const key = `whole-list:${addressKey(request)}`;
    await requireWithinLimit(this.#context, { key, limit: WHOLE_LISTS_PER_WINDOW, windowMs: WINDOW_MS });
  }

  async #claimPage(request: FastifyRequest): Promise<void> {
    const key = `file-pages:${addressKey(request)}`;
    const limit = { name: 'file-pages', key, limit: PAGES_PER_WINDOW, windowMs: WINDOW_MS };
    const allowance = await this.#limits.claim(limit);
    if (allowance?.isUsedUp) throw tooManyRequests(allowance.waitMs);
  }

  #share(key: string, list: () => Promise<FilePage>): Promise<FilePage> {
    const now = performance.now();
    const shared = this.#shared.get(key);
    if (shared && shared.until > now) return shared.page;
    this.#shared.delete(key);
    for (const [oldest, { until }] of this.#shared) {
      if (until > now && this.#shared.size < SHARED_PAGES) break;
      this.#shared.delete(oldest);
    }
    const page = list();
    this.#shared.set(key, { page, until: now + SHARED_MS });
    page.catch(() => this.#shared.delete(key));
    return page;
  }
}
