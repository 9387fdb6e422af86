import { AppError } from '../app-error.ts';

const RETRY_AFTER_SECONDS = 2;

type FairQueueOptions<Lane extends string> = {
  places: number;
  /** How many of the places a lane may fill; the rest is reserved for the other lanes. */
  lanes: Record<Lane, { places: number }>;
  maxWaiting: number;
  /** Of these, tasks with one tag in common. */
  maxWaitingPerTag: number;
};

type Waiting = { tags: string[]; arrivedAt: number; start: () => void };

type LaneState = {
  running: number;
  waiting: Waiting[];
  /** When a task of each tag started last; only of tags that are waiting. */
  startedAt: Map<string, number>;
};

/**
 * Runs tasks that are expensive for everybody, fairly. A task carries tags that say who it is for (a network address,
 * an account), and tags take turns: a caller with many tasks waiting delays only their own. Lanes have separate
 * queues; when several wait, the one with the fewest running tasks goes first.
 */
export class FairQueue<Lane extends string> {
  readonly #options: FairQueueOptions<Lane>;
  readonly #lanes = new Map<Lane, LaneState>();
  #running = 0;
  /** Counts arrivals and starts, so that each has a time of its own. */
  #time = 0;

  constructor(options: FairQueueOptions<Lane>) {
    this.#options = options;
    for (const lane of Object.keys(options.lanes) as Lane[])
      this.#lanes.set(lane, { running: 0, waiting: [], startedAt: new Map() });
  }

  /**
   * Throws AppError `unavailable` at once when too many tasks of the lane, or of one of the tags, are waiting, and
   * what the task throws.
   */
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
 * Removes the task that has waited longest. A task waits since its arrival, or since another task with one of its tags
 * started, whichever is later. So no task starves.
 */
function removeNext({ waiting, startedAt }: LaneState): Waiting {
  const waitsSince = ({ arrivedAt, tags }: Waiting) =>
    Math.max(arrivedAt, ...tags.map((tag) => startedAt.get(tag) ?? 0));
  const next = waiting.reduce((first, each) => (waitsSince(each) < waitsSince(first) ? each : first));
  waiting.splice(waiting.indexOf(next), 1);
  return next;
}
