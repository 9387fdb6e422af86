import { ApiError, errorDetail } from '../../client/api-error.ts';
import type { Trouble } from './chunk-sender.ts';
import { judgeFailure, waitBefore } from './failures.ts';

type PersistentCall<Answer> = {
  /** Begins the sentence of a failure ("Failed to initialize upload"). */
  what: string;
  /** Asked before every try; false ends the call with GivenUpError. */
  isWanted: () => boolean;
  run: () => Promise<Answer>;
};

/** Nobody waits for the answer any more. */
export class GivenUpError extends Error {
  override name = 'GivenUpError';
}

/** Repeats calls for as long as only the network, the server's health or a missing sign-in stand in the way. */
export class PersistentCalls {
  readonly #onTrouble: (trouble: Trouble | undefined) => void;
  #wakeUp: (() => void) | undefined;

  constructor(onTrouble: (trouble: Trouble | undefined) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Throws GivenUpError, or an Error with the specification's sentence whose cause is the refusal. */
  async make<Answer>({ what, isWanted, run }: PersistentCall<Answer>): Promise<Answer> {
    for (let tries = 1; isWanted(); tries += 1) {
      try {
        const answer = await run();
        if (tries > 1) this.#onTrouble(undefined);
        return answer;
      } catch (error) {
        const failure = judgeFailure(error);
        if (failure !== 'wait' && failure !== 'sign-in')
          throw new Error(`${what}: ${errorDetail(error)}`, { cause: error });
        const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined;
        if (isWanted()) this.#onTrouble(toTrouble(error));
        await this.#sleep(failure === 'wait' ? waitBefore(tries, Math.random(), retryAfter) : undefined);
      }
    }
    throw new GivenUpError();
  }

  /** Tries at once instead of waiting on. */
  wake(): void {
    this.#wakeUp?.();
  }

  /** Until the time is over or somebody wakes it; without a time only the latter. */
  #sleep(milliseconds: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function toTrouble(error: unknown): Trouble {
  if (!(error instanceof ApiError)) return { kind: 'network', message: 'Waiting for the network…' };
  return { kind: error.status === 401 ? 'sign-in' : 'network', message: error.detail };
}
