import { decodeSelection } from '../../../../contracts/transfers/selection.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { ConcurrencyLimit } from '../../../platform/lib/concurrency/concurrency-limit.ts';
import {
  isLongList,
  planSelection,
  planVersionZip,
  planWholeZip,
  type ZipPlan,
} from '../../transfers/index.ts';
import type { Share } from '../queries.ts';
import { readSelectedVersion } from '../version-downloads.ts';

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
  /** Called before the expensive planning of a long list; throws to refuse it. */
  admit: () => Promise<void>;
};

/**
 * An LRU cache, because resumed and parallel downloads need the same plan again. Concurrent requests share the
 * planning. Callers must have passed the gate.
 */
export class ZipCache {
  readonly #kept = new Map<string, ZipPlan>();
  readonly #planning = new Map<string, Promise<ZipPlan>>();
  readonly #turns = new ConcurrencyLimit(LONG_PLANS_AT_ONCE, { maxWaiting: LONG_PLANS_WAITING });
  #keptBytes = 0;

  /**
   * Throws AppError `invalid_selection`, `file_not_found` if one of the selected files is missing, `unavailable` if too
   * many long lists wait to be planned, and what `admit` throws.
   */
  async open({ db }: Pick<Context, 'db'>, { share, selection, admit }: PlanRequest): Promise<ZipPlan> {
    const { id: transferId, fileCount, repairCount } = share;
    const key = selection === null ? wholeKey(share) : `${transferId} ${repairCount} selection ${selection}`;
    const kept = this.#kept.get(key);
    if (kept) return this.#keep(key, kept);
    const underWay = this.#planning.get(key);
    if (underWay) return underWay;
    const version = selection === null ? undefined : readSelectedVersion(selection);
    const positions = selection === null || version !== undefined ? undefined : decodeSelection(selection);
    if (selection !== null && version === undefined && !positions) throw new AppError('invalid_selection');
    const plan = async () => {
      if (version !== undefined) return this.#keep(key, await planVersionZip(db, { transferId, version }));
      if (positions) return this.#keep(key, await planSelection(db, transferId, positions));
      const whole = await planWholeZip(db, transferId);
      return this.#keep(wholeKey({ ...share, fileCount: whole.fileCount }), whole.plan);
    };
    // How many files an earlier version has is only known once it is planned.
    const isLong = version !== undefined || isLongList({ fileCount: positions?.length ?? fileCount });
    const planning = isLong ? admit().then(() => this.#turns.run(plan)) : plan();
    this.#planning.set(key, planning);
    return planning.finally(() => this.#planning.delete(key));
  }

  #keep(key: string, plan: ZipPlan): ZipPlan {
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

function wholeKey({ id, fileCount, repairCount }: ZipState): string {
  return `${id} ${repairCount} ${fileCount}`;
}

function bytesOf(key: string, { layout }: ZipPlan): number {
  const { entries, headerStarts, recordStarts } = layout;
  const numbers = headerStarts.byteLength + recordStarts.byteLength;
  return BYTES_PER_PLAN + key.length + numbers + entries.memoryBytes;
}
