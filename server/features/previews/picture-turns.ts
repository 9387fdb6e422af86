/** A database integer holds no more. */
const MAX_RANK = 2 ** 31 - 1;

/** Where the new files of a transfer stand in the queue for pictures: the n-th one gets `start + step × n`. */
export type Turn = { ownerId: string; transferId: string; start: number; step: number };

/**
 * Gives each owner one turn at a time in the queue for pictures, whatever they sent. Ranks are virtual times: the
 * first file of an owner gets the rank that is served now. An owner's transfers share the owner's turns: with k of
 * them waiting, the files of the k-th stand k ranks apart.
 *
 * It lives in one process. After a restart, and between several processes, an owner may get some turns too many.
 */
export class PictureTurns {
  /** The last rank of each transfer that may still be waiting, by owner. */
  readonly #owners = new Map<string, Map<string, number>>();

  /** `servedRank` is the lowest rank of the files that wait; undefined when none does. */
  begin({ ownerId, transferId }: Pick<Turn, 'ownerId' | 'transferId'>, servedRank: number | undefined): Turn {
    if (servedRank === undefined) this.#owners.clear();
    const served = servedRank ?? 0;
    const transfers = this.#owners.get(ownerId) ?? new Map<string, number>();
    for (const [id, lastRank] of transfers) if (lastRank < served) transfers.delete(id);
    const others = transfers.size - (transfers.has(transferId) ? 1 : 0);
    this.#owners.set(ownerId, transfers);
    return { ownerId, transferId, start: served + others, step: others + 1 };
  }

  /** The rank of the transfer's n-th new file, counted from 0. */
  take({ ownerId, transferId, start, step }: Turn, n: number): number {
    const rank = Math.min(MAX_RANK, start + step * n);
    this.#owners.get(ownerId)?.set(transferId, rank);
    return rank;
  }
}
