import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import { addressKey, requireWithinLimit } from '../../../platform/http/limits/rate-limits.ts';
import { drawSvg } from '../../../platform/images/draw-svg.ts';
import { ConcurrencyLimit } from '../../../platform/lib/concurrency/concurrency-limit.ts';
import { type LinkCard, renderCardPicture } from './card-picture.ts';
import { SITE_CARD, versionOf } from './link-card.ts';

/** About 50 KB each. */
const KEPT = 64;
const WAITING = 20;
/** Each takes about 50 ms of CPU time. A messenger fetches the cards of all its users from few addresses. */
const DRAWINGS = { limit: 300, windowMs: 10 * MINUTE_MS };

/** An LRU cache. Pictures are drawn one at a time, and drawing is limited per address. */
export class CardPictures {
  readonly #context: Pick<Context, 'db' | 'clock' | 'config'>;
  readonly #turns = new ConcurrencyLimit(1, { maxWaiting: WAITING });
  readonly #kept = new Map<string, Promise<Buffer>>();

  constructor(context: Pick<Context, 'db' | 'clock' | 'config'>) {
    this.#context = context;
  }

  /** Throws AppError `too_many_requests`, `unavailable`. */
  async get(card: LinkCard, request: FastifyRequest): Promise<Buffer> {
    const key = versionOf(card);
    const kept = this.#kept.get(key);
    if (kept) return this.#keep(key, kept);
    if (card !== SITE_CARD)
      await requireWithinLimit(this.#context, { key: `link-card:${addressKey(request)}`, ...DRAWINGS });
    // Another request may have started drawing it meanwhile.
    return this.#keep(key, this.#kept.get(key) ?? this.#draw(key, card));
  }

  #draw(key: string, card: LinkCard): Promise<Buffer> {
    const drawing = this.#turns.run(async () => drawSvg(renderCardPicture(card)));
    drawing.catch(() => this.#kept.delete(key));
    return drawing;
  }

  #keep(key: string, picture: Promise<Buffer>): Promise<Buffer> {
    this.#kept.delete(key);
    this.#kept.set(key, picture);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return picture;
  }
}
