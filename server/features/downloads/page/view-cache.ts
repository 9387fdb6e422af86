import type { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { readDatabaseVersion } from '../../../platform/db/open.ts';
import type { PresentedAnswer } from '../../../platform/http/routing/presented-answer.ts';
import type { Share } from '../queries.ts';

type Answer = PresentedAnswer<(typeof viewDownload)['response']>;

export type KeptView = {
  answer: Answer;
  share: Pick<Share, 'id' | 'userId'>;
  isVisit: boolean;
};

type Entry = KeptView & {
  /** The view stays the same from the first of these times until the last, exclusively. */
  validFrom: number;
  validUntil: number;
};

/** What a view was computed from. */
type State = { version: number; now: number };

const MAX_CHARACTERS = 4 * MIB;
/** Of an entry in memory, apart from its JSON. */
const OVERHEAD = 500;

/**
 * Views for callers without cookies, by share token and number of files. They are only used while the database is unchanged and no
 * time has passed at which the view changes, so they are as current as a query. Any write by any process drops all of
 * them. Keeps nothing on PostgreSQL, where checking for writes costs a round trip, as much as the query it would save.
 */
export class ViewCache {
  readonly #context: Pick<Context, 'db' | 'clock'>;
  readonly #entries = new Map<string, Entry>();
  #version: number | undefined;
  #characters = 0;

  constructor(context: Pick<Context, 'db' | 'clock'>) {
    this.#context = context;
  }

  /** Call it before reading what is then passed to `keep`. */
  readState(): State | undefined {
    const { db, clock } = this.#context;
    const version = readDatabaseVersion(db);
    if (version !== this.#version) this.#clear(version);
    return version === undefined ? undefined : { version, now: clock.now() };
  }

  find(token: string, { now }: State): KeptView | undefined {
    const entry = this.#entries.get(token);
    if (!entry) return undefined;
    // A clock set back may make an expired transfer available again.
    if (entry.validFrom <= now && now < entry.validUntil) return entry;
    this.#entries.delete(token);
    this.#characters -= entry.answer.json.length + OVERHEAD;
    return undefined;
  }

  /** `state` is from before the view was read. Does nothing if there were writes since. */
  keep(token: string, { version, now }: State, { share, ...view }: KeptView & { share: Share }): void {
    if (this.readState()?.version !== version) return;
    const size = view.answer.json.length + OVERHEAD;
    if (this.#entries.has(token) || size > MAX_CHARACTERS) return;
    if (this.#characters + size > MAX_CHARACTERS) this.#clear(version);
    this.#characters += size;
    const { id, userId, expiresAt, scheduledAvailableAt } = share;
    const changesAt = (time: number | null) =>
      time !== null && time > now ? time : Number.POSITIVE_INFINITY;
    this.#entries.set(token, {
      ...view,
      share: { id, userId },
      validFrom: now,
      validUntil: Math.min(changesAt(expiresAt), changesAt(scheduledAvailableAt)),
    });
  }

  #clear(version: number | undefined): void {
    this.#version = version;
    this.#entries.clear();
    this.#characters = 0;
  }
}
