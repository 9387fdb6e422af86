import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import { randomId } from '../lib/tokens.ts';
import {
  deleteEndedLeases,
  deleteLeases,
  deleteLeasesOf,
  insertLeases,
  isLeasedAsWhole,
  type LeaseName,
  listLeasedKeys,
  renewLeases,
  requestLease,
  revokeLeases,
  WHOLE,
} from './lease-queries.ts';

const LASTS_MS = 10 * SECOND_MS;
const BEAT_MS = 500;
/** A lease is not used in its last seconds, so that work in progress ends before it does. */
const MARGIN_MS = 3 * SECOND_MS;
const ROWS_PER_STATEMENT = 200;

export type LeaseOptions = {
  db: Db;
  own?: Db | undefined;
  log: Log;
  /** Identifies this process. Leases left behind under this name are released on opening. */
  holder?: string;
  lastsMs?: number;
  beatMs?: number;
  marginMs?: number;
};

/** Each is called at most once. */
export type LeaseEvents = {
  onRequested?(): void;
  /** The lease is lost, or another process wants the whole key: release it now. */
  onRevoked?(): void;
};

export interface Lease {
  /** False a few seconds before another process could acquire it, even after this process was suspended. */
  isOurs(): boolean;
  /** Never throws: a lease that could not be released expires. */
  release(): Promise<void>;
}

type Held = LeaseName & LeaseEvents & { leaseId: string; goodUntil: number; isNotified: boolean };

/**
 * Locks shared by all processes of the database. A key has slots, each for one process; while a process has
 * the whole key, no slot can be acquired. The leases of a dead holder expire after ten seconds.
 */
export class Leases {
  readonly #db: Db;
  readonly #own: Db | undefined;
  readonly #log: Log;
  readonly #holder: string;
  readonly #lasts: { lastsMs: number };
  readonly #beatMs: number;
  readonly #marginMs: number;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor({ db, own, log, holder = randomId(), ...times }: LeaseOptions) {
    this.#db = db;
    this.#own = own;
    this.#log = log;
    this.#holder = holder;
    this.#lasts = { lastsMs: times.lastsMs ?? LASTS_MS };
    this.#beatMs = times.beatMs ?? BEAT_MS;
    this.#marginMs = times.marginMs ?? MARGIN_MS;
  }

  /** Releases leases left behind under this name or by dead processes. */
  async open(): Promise<void> {
    await deleteLeasesOf(this.#db, this.#holder);
    await deleteEndedLeases(this.#db, this.#lasts);
  }

  /** Requests the slot from its holder and returns undefined if it, or the whole key, is leased. */
  async acquireSlot(key: string, slot: string, events: LeaseEvents): Promise<Lease | undefined> {
    const [held] = await this.#acquire([{ key, slot, ...events }]);
    if (!held) {
      await requestLease(this.#db, key, slot);
      return undefined;
    }
    const lease = this.#describe([held]);
    try {
      // Each process writes its own row before it reads the other's, so at least one of the two sees the other.
      if (!(await isLeasedAsWhole(this.#db, key, this.#lasts))) return lease;
    } catch (error) {
      await lease.release();
      throw error;
    }
    await lease.release();
    return undefined;
  }

  /** All keys or none; undefined if another process has one of them. */
  async acquireWhole(keys: string[]): Promise<Lease | undefined> {
    const wanted = [...new Set(keys)];
    const held: Held[] = [];
    for (const batch of inBatches(wanted.toSorted()))
      held.push(...(await this.#acquire(batch.map((key) => ({ key, slot: WHOLE })))));
    const lease = this.#describe(held);
    if (held.length === wanted.length) return lease;
    await lease.release();
    return undefined;
  }

  async listBusy(keys: string[]): Promise<string[]> {
    const busy: string[] = [];
    for (const batch of inBatches(keys))
      busy.push(...(await listLeasedKeys(this.#db, { keys: batch }, this.#lasts)));
    return busy;
  }

  async requestSlots(key: string): Promise<boolean> {
    const others = await listLeasedKeys(this.#db, { keys: [key], except: this.#holder }, this.#lasts);
    if (others.length > 0) await requestLease(this.#db, key);
    return others.length > 0;
  }

  async revokeSlots(keys: string[]): Promise<void> {
    // In a transaction, which retries after a deadlock with a holder's heartbeat.
    for (const batch of inBatches(keys)) await transaction(this.#db, (trx) => revokeLeases(trx, batch));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    this.#held.clear();
    await deleteLeasesOf(this.#db, this.#holder).catch(() => undefined);
    await this.#own?.destroy();
  }

  async #acquire(wanted: (LeaseName & LeaseEvents)[]): Promise<Held[]> {
    const since = steadyNow();
    const rows = wanted.map((each) => ({ ...each, leaseId: randomId() }));
    const news = rows.map(({ key, slot, leaseId }) => ({ key, slot, leaseId, holder: this.#holder }));
    const acquired = await insertLeases(this.#db, news, this.#lasts);
    const names = new Set(acquired.map(nameOf));
    const held = rows
      .filter((row) => names.has(nameOf(row)))
      .map((row): Held => ({ ...row, goodUntil: this.#goodFrom(since), isNotified: false }));
    for (const each of held) this.#held.set(each.leaseId, each);
    if (held.length > 0) this.#timer ??= setInterval(() => this.#beat(), this.#beatMs).unref();
    return held;
  }

  #describe(held: Held[]): Lease {
    return {
      isOurs: () =>
        held.every(({ leaseId, goodUntil }) => this.#held.has(leaseId) && steadyNow() < goodUntil),
      release: async () => {
        const ids = held.map(({ leaseId }) => leaseId);
        for (const id of ids) this.#held.delete(id);
        if (this.#held.size === 0) this.#stopBeating();
        for (const batch of inBatches(ids))
          await deleteLeases(this.#db, batch).catch((err) =>
            this.#log.warn({ err }, 'A lease could not be released.'),
          );
      },
    };
  }

  #stopBeating(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    this.#beating ??= this.#renew()
      .catch((err) => this.#log.warn({ err }, 'The leases could not be renewed.'))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  async #renew(): Promise<void> {
    const since = steadyNow();
    // A lease acquired during the query is missing from its result, but not lost.
    const renewing = [...this.#held.values()];
    const beats = await renewLeases(this.#db, this.#holder, this.#lasts);
    const byId = new Map(beats.map((beat) => [beat.leaseId, beat]));
    for (const held of renewing) {
      const beat = byId.get(held.leaseId);
      if (beat) held.goodUntil = this.#goodFrom(since);
      if (!this.#held.has(held.leaseId)) continue;
      if (!beat) this.#held.delete(held.leaseId);
      if (!beat || beat.isToEnd === 1) held.onRevoked?.();
      else if (beat.isWanted === 1 && !held.isNotified) {
        held.isNotified = true;
        held.onRequested?.();
      }
    }
    if (this.#held.size === 0) this.#stopBeating();
  }

  #goodFrom(since: number): number {
    return since + this.#lasts.lastsMs - this.#marginMs;
  }
}

/**
 * Milliseconds by the clock that advanced further: the monotonic one, or the machine's, which also counts
 * while the process is suspended. After a jump of the machine's clock a valid lease may count as expired.
 */
const [steadyStart, wallStart] = [performance.now(), systemClock.now()];
function steadyNow(): number {
  return Math.max(performance.now() - steadyStart, systemClock.now() - wallStart);
}

function nameOf({ key, slot }: LeaseName): string {
  return JSON.stringify([key, slot]);
}

function* inBatches<Item>(items: Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT)
    yield items.slice(start, start + ROWS_PER_STATEMENT);
}
