import { AppError } from '../app-error.ts';

const RETRY_AFTER_SECONDS = 2;

type FairQueueOptions<Lane extends string> = {
  places: number;
  /** The most places the lane may fill; the rest is reserved for other lanes. */
  lanes: Record<Lane, { places: number }>;
  maxWaiting: number;
  /** Among tasks with a common tag. */
  maxWaitingPerTag: number;
};

type Waiting = { tags: string[]; arrivedAt: number; start: () => void };

type LaneState = {
  running: number;
  waiting: Waiting[];
  /** The last start per tag; only of waiting tags. */
  startedAt: Map<string, number>;
};

/**
 * Runs expensive tasks fairly. Tags say whom a task is for (a network address, an account) and take turns, so
 * a caller with many tasks delays only their own. When several lanes wait, the one with the fewest running
 * tasks goes first.
 */
export class FairQueue<Lane extends string> {
  readonly #options: FairQueueOptions<Lane>;
  readonly #lanes = new Map<Lane, LaneState>();
  #running = 0;
  /** A logical clock of arrivals and starts. */
  #time = 0;

  constructor(options: FairQueueOptions<Lane>) {
    this.#options = options;
    for (const lane of Object.keys(options.lanes) as Lane[])
      this.#lanes.set(lane, { running: 0, waiting: [], startedAt: new Map() });
  }

  /** Throws AppError `unavailable` when too many tasks of the lane or of a tag are waiting. */
  async run<T>({ lane, tags }: { lane: Lane; tags: string[] }, task: () => Promise<T>): Promise<T> {
    const state = this.#lanes.get(lane)!;
    this.#requireRoom(state, tags);
    await new Promise<void>((start) => {
      state.waiting.push({ tags, arrivedAt: this.#tick(), start });
      this.#startNext();
    });
    try {
      return await task();
    } finally {
      this.#running -= 1;
      state.running -= 1;
      this.#startNext();
    }
  }

  #tick(): number {
    this.#time += 1;
    return this.#time;
  }

  #requireRoom({ waiting }: LaneState, tags: string[]): void {
    const { maxWaiting, maxWaitingPerTag } = this.#options;
    const isFull =
      waiting.length >= maxWaiting ||
      tags.some((tag) => waiting.filter((each) => each.tags.includes(tag)).length >= maxWaitingPerTag);
    if (isFull) throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #startNext(): void {
    while (this.#running < this.#options.places) {
      const state = this.#findLane();
      if (!state) return;
      const next = removeNext(state);
      const now = this.#tick();
      for (const tag of next.tags) state.startedAt.set(tag, now);
      const waitingTags = new Set(state.waiting.flatMap(({ tags }) => tags));
      for (const tag of state.startedAt.keys()) if (!waitingTags.has(tag)) state.startedAt.delete(tag);
      this.#running += 1;
      state.running += 1;
      next.start();
    }
  }

  #findLane(): LaneState | undefined {
    const { lanes } = this.#options;
    return [...this.#lanes]
      .filter(([lane, { waiting, running }]) => waiting.length > 0 && running < lanes[lane].places)
      .map(([, state]) => state)
      .toSorted((a, b) => a.running - b.running)[0];
  }
}

/**
 * A task waits since its arrival, or since another task with one of its tags started, whichever is later. So
 * no task starves.
 */
function removeNext({ waiting, startedAt }: LaneState): Waiting {
  const waitsSince = ({ arrivedAt, tags }: Waiting) =>
    Math.max(arrivedAt, ...tags.map((tag) => startedAt.get(tag) ?? 0));
  const next = waiting.reduce((first, each) => (waitsSince(each) < waitsSince(first) ? each : first));
  waiting.splice(waiting.indexOf(next), 1);
  return next;
}
