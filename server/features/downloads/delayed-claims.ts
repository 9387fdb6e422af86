import { isAppError } from '../../platform/lib/app-error.ts';

/** Further downloads are refused: what is only in memory is lost when the process ends. */
const MAX_DELAYED = 10_000;
const SAVE_EVERY_MS = 5_000;

type Progress = { reachedBytes: number; isComplete: boolean };

type Saving<Claim> = {
  saveClaim(id: string, claim: Claim): Promise<void>;
  /** Called once the claim is saved and no longer waits here. */
  saveProgress(id: string, claim: Claim, progress: Progress): Promise<void>;
};

/**
 * Downloads that were allowed on a disk too full to count them. They are counted as soon as the database accepts them;
 * one that it refuses for another reason than a full disk is dropped, since its transfer is gone.
 */
export class DelayedClaims<Claim> {
  readonly #saving: Saving<Claim>;
  readonly #claims = new Map<string, { claim: Claim; progress: Progress }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(saving: Saving<Claim>) {
    this.#saving = saving;
  }

  /** False when too many wait already. */
  add(id: string, claim: Claim): boolean {
    if (this.#claims.size >= MAX_DELAYED) return false;
    this.#claims.set(id, { claim, progress: { reachedBytes: 0, isComplete: false } });
    this.#saveLater();
    return true;
  }

  has(id: string): boolean {
    return this.#claims.has(id);
  }

  /** Notes how far a delayed download has come. False when it is not a delayed one. */
  update(id: string, change: Partial<Progress>): boolean {
    const delayed = this.#claims.get(id);
    if (!delayed) return false;
    const reachedBytes = Math.max(delayed.progress.reachedBytes, change.reachedBytes ?? 0);
    delayed.progress = { ...delayed.progress, ...change, reachedBytes };
    return true;
  }

  /** Forgets a download. False when it is not a delayed one. */
  remove(id: string): boolean {
    return this.#claims.delete(id);
  }

  /** Saves the oldest first, until one cannot be saved yet. */
  async saveAll(): Promise<void> {
    for (const [id, delayed] of this.#claims) {
      try {
        await this.#saving.saveClaim(id, delayed.claim);
      } catch (error) {
        if (isAppError(error, 'storage_full') || isAppError(error, 'unavailable')) return;
        this.#claims.delete(id);
        continue;
      }
      this.#claims.delete(id);
      await this.#saving.saveProgress(id, delayed.claim, delayed.progress).catch(() => undefined);
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
