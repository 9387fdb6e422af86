import { AppError } from './app-error.ts';

const RETRY_AFTER_SECONDS = 2;

type FairQueueOptions<Lane extends string> = {
  /** How many tasks run at once. */
  places: number;
  /** How many of the places a lane may fill; the rest is reserved for the other lanes. */
  lanes: Record<Lane, { places: number }>;
  /** Tasks that may wait in each lane. */
  maxWaiting: number;
  /** Of these, tasks with one tag in common. */
  maxWaitingPerTag: number;
};

type Waiting<Lane> = {
  lane: Lane;
  tags: string[];
  /** When it is due, in turns of the lane. */
  turn: number;
  start: () => void;
};

type LaneState<Lane> = {
  running: number;
  waiting: Waiting<Lane>[];
  /** Turn of the task that started last. */
  turn: number;
  /** The next free turn of each tag; a tag whose turn has passed is as good as new. */
  turnsOfTags: Map<string, number>;
};

/**
 * Runs tasks that are expensive for everybody, fairly. A task carries tags that say who it is for (a network address,
 * an account), and each tag gets one turn after the other: who has many tasks waiting delays only their own. Lanes
 * have separate queues; when several wait, the one with the fewest running tasks goes first.
 */
export class FairQueue<Lane extends string> {
  readonly #options: FairQueueOptions<Lane>;
  readonly #lanes = new Map<Lane, LaneState<Lane>>();
  #running = 0;

  constructor(options: FairQueueOptions<Lane>) {
    this.#options = options;
    for (const lane of Object.keys(options.lanes) as Lane[])
      this.#lanes.set(lane, { running: 0, waiting: [], turn: 0, turnsOfTags: new Map() });
  }

  /**
   * Throws AppError `unavailable` at once when too many tasks of the lane, or of one of the tags, are waiting, and
   * what the task throws.
   */
  async run<T>({ lane, tags }: { lane: Lane; tags: string[] }, task: () => Promise<T>): Promise<T> {
    const state = this.#lanes.get(lane)!;
    this.#requireRoom(state, tags);
    await new Promise<void>((start) => {
      state.waiting.push({ lane, tags, turn: this.#takeTurn(state, tags), start });
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

  #requireRoom({ waiting }: LaneState<Lane>, tags: string[]): void {
    const { maxWaiting, maxWaitingPerTag } = this.#options;
    const isFull =
      waiting.length >= maxWaiting ||
      tags.some((tag) => waiting.filter((each) => each.tags.includes(tag)).length >= maxWaitingPerTag);
    if (isFull) throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #takeTurn({ turn: current, turnsOfTags }: LaneState<Lane>, tags: string[]): number {
    const turn = Math.max(current, ...tags.map((tag) => turnsOfTags.get(tag) ?? 0));
    for (const tag of tags) turnsOfTags.set(tag, turn + 1);
    return turn;
  }

  #startNext(): void {
    while (this.#running < this.#options.places) {
      const state = this.#findLane();
      if (!state) return;
      const next = state.waiting.reduce((first, each) => (each.turn < first.turn ? each : first));
      state.waiting.splice(state.waiting.indexOf(next), 1);
      state.turn = next.turn;
      for (const [tag, turn] of state.turnsOfTags) if (turn <= next.turn) state.turnsOfTags.delete(tag);
      this.#running += 1;
      state.running += 1;
      next.start();
    }
  }

  #findLane(): LaneState<Lane> | undefined {
    const { lanes } = this.#options;
    return [...this.#lanes]
      .filter(([lane, { waiting, running }]) => waiting.length > 0 && running < lanes[lane].places)
      .map(([, state]) => state)
      .toSorted((a, b) => a.running - b.running)[0];
  }
}
