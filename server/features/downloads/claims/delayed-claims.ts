import type { Db } from '../../../platform/db/open.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';

/** Claims in memory are lost when the process ends, so their number is limited. */
const MAX_DELAYED = 10_000;
const SAVE_EVERY_MS = 5_000;

type Progress = { reachedBytes: number; isReturnable: boolean; isComplete: boolean };

type Saving = {
  saveClaim(): Promise<void>;
  saveProgress(progress: Progress): Promise<void>;
};

const delayedClaims = new WeakMap<Db, DelayedClaims>();

export function delayedClaimsOf(db: Db): DelayedClaims {
  const delayed = delayedClaims.get(db) ?? new DelayedClaims();
  delayedClaims.set(db, delayed);
  return delayed;
}

/**
 * Downloads allowed while the disk was too full to count them. They are saved as soon as the database accepts writes. A
 * claim refused for any other reason is dropped, because its transfer is gone.
 */
class DelayedClaims {
  readonly #claims = new Map<string, { saving: Saving; progress: Progress }>();
  #timer: NodeJS.Timeout | undefined;

  add(id: string, saving: Saving): boolean {
    if (this.#claims.size >= MAX_DELAYED) return false;
    this.#claims.set(id, { saving, progress: { reachedBytes: 0, isReturnable: true, isComplete: false } });
    this.#saveLater();
    return true;
  }

  has(id: string): boolean {
    return this.#claims.has(id);
  }

  update(id: string, change: Partial<Progress>): boolean {
    const delayed = this.#claims.get(id);
    if (!delayed) return false;
    const reachedBytes = Math.max(delayed.progress.reachedBytes, change.reachedBytes ?? 0);
    const isReturnable = delayed.progress.isReturnable && change.isReturnable !== false;
    delayed.progress = { ...delayed.progress, ...change, reachedBytes, isReturnable };
    return true;
  }

  remove(id: string): boolean {
    return this.#claims.delete(id);
  }

  async saveAll(): Promise<void> {
    for (const [id, delayed] of this.#claims) {
      try {
        await delayed.saving.saveClaim();
      } catch (error) {
        if (isAppError(error, 'storage_full') || isAppError(error, 'unavailable')) return;
        this.#claims.delete(id);
        continue;
      }
      this.#claims.delete(id);
      await delayed.saving.saveProgress(delayed.progress).catch(() => undefined);
    }
  }

  #saveLater(): void {
    this.#timer ??= setTimeout(() => {
      void this.saveAll().finally(() => {
        this.#timer = undefined;
        if (this.#claims.size > 0) this.#saveLater();
      });
    }, SAVE_EVERY_MS).unref();
  }
}
