import { AppError } from './app-error.ts';

const RETRY_AFTER_SECONDS = 5;

type Options = {
  /** Tasks that run at once, of all owners. */
  limit: number;
  /** Tasks that wait, of all owners and of one. */
  maxWaiting: number;
  maxWaitingPerOwner: number;
};

/** Runs tasks in turns: each owner with waiting tasks gets one turn, then the next owner does. */
export class FairQueue {
  readonly #options: Options;
  /** In the order of their next turns; owners without waiting tasks are not listed. */
  readonly #owners = new Map<string, (() => void)[]>();
  #running = 0;
  #waiting = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Throws AppError `unavailable` when too many tasks are waiting, and what the task throws. */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.limit) this.#running += 1;
    else await this.#wait(owner);
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  #wait(owner: string): Promise<void> {
    const tasks = this.#owners.get(owner) ?? [];
    const { maxWaiting, maxWaitingPerOwner } = this.#options;
    if (this.#waiting >= maxWaiting || tasks.length >= maxWaitingPerOwner)
      throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#owners.set(owner, tasks);
    this.#waiting += 1;
    return new Promise((resolve) => tasks.push(resolve));
  }

  /** Hands the place over instead of freeing it, so that a new task cannot take it first. */
  #passOn(): void {
    const [first] = this.#owners;
    if (!first) {
      this.#running -= 1;
      return;
    }
    const [owner, tasks] = first;
    const start = tasks.shift()!;
    this.#owners.delete(owner);
    if (tasks.length > 0) this.#owners.set(owner, tasks);
    this.#waiting -= 1;
    start();
  }
}
