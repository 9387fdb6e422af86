import { decodeSelection } from '../../../../contracts/transfers/downloads/selection.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { ConcurrencyLimit } from '../../../platform/lib/concurrency/concurrency-limit.ts';
import {
  type ArrivingZipPlan,
  isLongList,
  planArrivingZip,
  planSelection,
  planVersionZip,
  planWholeZip,
  readArrival,
  type ZipPlan,
} from '../../transfers/index.ts';
import type { Share } from '../queries.ts';
import { readSelectedVersion } from '../version-downloads.ts';
import { type BagPlan, planBag } from './bag.ts';

type Plan = ZipPlan & Partial<Pick<BagPlan, 'bag'>>;

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const BYTES_PER_PLAN = 1_000;
/** Planning a long list takes about a second of CPU time and keeps all names in memory. */
const LONG_PLANS_AT_ONCE = 1;
const LONG_PLANS_WAITING = 8;

/** Identifies a state of a transfer's files: ready transfers only gain files, or get files repaired or updated. */
type ZipState = Pick<Share, 'id' | 'fileCount' | 'repairCount'>;

type PlanRequest = {
  share: ZipState;
  selection: string | null;
  /** The folder of the bag, if the zip contains one. */
  bagName?: string | undefined;
  /** Called before the expensive planning of a long list; throws to refuse it. */
  admit: () => Promise<void>;
};

/**
 * An LRU cache, because resumed and parallel downloads need the same plan again. Concurrent requests share the
 * planning. Callers must have passed the gate.
 */
export class ZipCache {
  readonly #kept = new Map<string, Plan>();
  readonly #planning = new Map<string, Promise<Plan>>();
  readonly #turns = new ConcurrencyLimit(LONG_PLANS_AT_ONCE, { maxWaiting: LONG_PLANS_WAITING });
  #keptBytes = 0;

  /**
   * Throws AppError `invalid_selection`, `file_not_found` if one of the selected files is missing, `unavailable` if too
   * many long lists wait to be planned, and what `admit` and `planBag` throw.
   */
  async open({ db }: Pick<Context, 'db'>, { share, selection, bagName, admit }: PlanRequest): Promise<Plan> {
    const { id: transferId, fileCount } = share;
    const key = keyOf(share, selection, bagName);
    const kept = this.#kept.get(key);
    if (kept) return this.#keep(key, kept);
    const underWay = this.#planning.get(key);
    if (underWay) return underWay;
    const version = selection === null ? undefined : readSelectedVersion(selection);
    const positions = selection === null || version !== undefined ? undefined : decodeSelection(selection);
    if (selection !== null && version === undefined && !positions) throw new AppError('invalid_selection');
    const wrap = async (zip: ZipPlan): Promise<Plan> =>
      bagName === undefined ? zip : planBag({ db }, { transferId, zip, name: bagName });
    const plan = async () => {
      if (version !== undefined) return this.#keep(key, await planVersionZip(db, { transferId, version }));
      if (positions) return this.#keep(key, await wrap(await planSelection(db, transferId, positions)));
      const whole = await planWholeZip(db, transferId);
      const state = { ...share, fileCount: whole.fileCount };
      return this.#keep(keyOf(state, null, bagName), await wrap(whole.plan));
    };
    // How many files an earlier version has is only known once it is planned.
    const isLong = version !== undefined || isLongList({ fileCount: positions?.length ?? fileCount });
    const planning = isLong ? admit().then(() => this.#turns.run(plan)) : plan();
    this.#planning.set(key, planning);
    return planning.finally(() => this.#planning.delete(key));
  }

  /**
   * For a transfer whose files are still arriving; the plan is that of its files now. Throws what `open` throws and
   * AppError `transfer_not_found`.
   */
  async openArriving(
    { db, blobs }: Pick<Context, 'db' | 'blobs'>,
    { share, selection, admit }: PlanRequest,
  ): Promise<ArrivingZipPlan> {
    const { id: transferId, fileCount } = share;
    const { filesKey } = await readArrival({ db, blobs }, transferId);
    const key = `${transferId} arriving ${filesKey} ${selection ?? 'all'}`;
    const kept = this.#kept.get(key) ?? (await this.#planning.get(key));
    if (kept) return this.#keep(key, kept) as ArrivingZipPlan;
    const positions = selection === null ? undefined : decodeSelection(selection);
    if (selection !== null && !positions) throw new AppError('invalid_selection');
    const plan = async () => this.#keep(key, await planArrivingZip(db, transferId, positions));
    const planning = isLongList({ fileCount }) ? admit().then(() => this.#turns.run(plan)) : plan();
    this.#planning.set(key, planning);
    return planning.finally(() => this.#planning.delete(key)) as Promise<ArrivingZipPlan>;
  }

  #keep(key: string, plan: Plan): Plan {
    if (!this.#kept.delete(key)) this.#keptBytes += bytesOf(key, plan);
    this.#kept.set(key, plan);
    for (const [oldestKey, oldest] of this.#kept) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.#kept.delete(oldestKey);
      this.#keptBytes -= bytesOf(oldestKey, oldest);
    }
    return plan;
  }
}

function keyOf(
  { id, fileCount, repairCount }: ZipState,
  selection: string | null,
  bagName: string | undefined,
): string {
  const isVersion = selection !== null && readSelectedVersion(selection) !== undefined;
  // The current version gains files, too.
  const count = selection === null || isVersion ? ` ${fileCount}` : '';
  const chosen = selection === null ? '' : ` selection ${selection}`;
  return `${id} ${repairCount}${count}${chosen}${bagName === undefined ? '' : ` bag ${bagName}`}`;
}

/** Of an arriving file: its row. */
const BYTES_PER_UPLOAD = 800;

function bytesOf(
  key: string,
  { layout, bag, ...plan }: Plan | (ArrivingZipPlan & { bag?: undefined }),
): number {
  const { entries, headerStarts, recordStarts } = layout;
  const numbers = headerStarts.byteLength + recordStarts.byteLength;
  const uploads = 'arriving' in plan ? plan.arriving.size * BYTES_PER_UPLOAD : 0;
  return BYTES_PER_PLAN + key.length + numbers + entries.memoryBytes + (bag?.memoryBytes ?? 0) + uploads;
}
