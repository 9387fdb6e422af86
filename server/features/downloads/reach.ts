import type { Context } from '../../context.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { noteReached } from './claims.ts';

/**
 * Notes now and then how far a running download has come, so that what a killed server had delivered is known
 * afterwards, and that it runs. Much more often than a place is given back: a client that takes nothing is cut
 * off before.
 */
export class Reach {
  readonly #context: Pick<Context, 'db' | 'clock' | 'log'>;
  readonly #downloadId: string;
  #notedAt: number;

  constructor(context: Pick<Context, 'db' | 'clock' | 'log'>, downloadId: string) {
    this.#context = context;
    this.#downloadId = downloadId;
    this.#notedAt = context.clock.now();
  }

  /** To be told often; returns at once and writes at most once a minute. */
  move(reachedBytes: number): void {
    const { clock, log } = this.#context;
    const now = clock.now();
    // Also after the clock was set back.
    if (Math.abs(now - this.#notedAt) < MINUTE_MS) return;
    this.#notedAt = now;
    noteReached(this.#context, this.#downloadId, reachedBytes).catch((error: unknown) =>
      log.warn({ err: error }, 'How far a download has come was not noted.'),
    );
  }
}
