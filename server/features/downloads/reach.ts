import { KIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import type { SendProgress } from '../../platform/http/send-blocks.ts';
import { MINUTE_MS } from '../../platform/lib/clock.ts';
import { noteReached, type Reached } from './claims.ts';

/** A download that has delivered more keeps its place. */
const RETURNABLE_BYTES = 64 * KIB;

type Request = {
  downloadId: string;
  /** Where in the download this request begins. */
  start: number;
  /** Behind the first file of the download. */
  firstFileEnd: number;
  /** Whether the number of downloads is limited. */
  isLimited: boolean;
};

/**
 * Records how far a running request of a download has come, so that a sweep knows that it runs, and so that the
 * place of a download whose server was killed is not given back wrongly.
 */
export class Reach {
  readonly #context: Pick<Context, 'db' | 'clock' | 'log'>;
  readonly #request: Request;
  #recordedAt: number;
  #isReturnable = true;

  constructor(context: Pick<Context, 'db' | 'clock' | 'log'>, request: Request) {
    this.#context = context;
    this.#request = request;
    this.#recordedAt = context.clock.now();
  }

  /**
   * Where the request is now. The place can be given back while at most 64 KiB and no whole file may have reached the
   * client; a block counts from the moment when its write begins.
   */
  describe({ sentBytes, begunBytes }: SendProgress): Reached {
    const { start, firstFileEnd } = this.#request;
    const furthest = start + begunBytes;
    return {
      reachedBytes: start + sentBytes,
      isReturnable: furthest <= RETURNABLE_BYTES && furthest < firstFileEnd,
    };
  }

  /**
   * Returns at once. Writes at most once a minute, which is much more often than places are given back; where the
   * number of downloads is limited, also once when the download begins to keep its place.
   */
  move(progress: SendProgress): void {
    const { clock, log } = this.#context;
    const now = clock.now();
    const reached = this.describe(progress);
    const keepsPlace = this.#isReturnable && !reached.isReturnable && this.#request.isLimited;
    // The difference is absolute because the clock may have been set back.
    if (!keepsPlace && Math.abs(now - this.#recordedAt) < MINUTE_MS) return;
    this.#recordedAt = now;
    this.#isReturnable = reached.isReturnable;
    noteReached(this.#context, this.#request.downloadId, reached).catch((error: unknown) =>
      log.warn({ err: error }, 'The progress of a download was not recorded.'),
    );
  }
}
