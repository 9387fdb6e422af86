import { setTimeout as sleep } from 'node:timers/promises';
import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { reserveOf } from '../../../platform/storage/disk/disk-space.ts';

/**
 * Blobs are sparse files: an announced upload uses disk space only as its bytes arrive. To make sure that accepted
 * uploads can be finished, one row counts the bytes that open uploads may still write, and a new upload is accepted
 * only if its bytes fit in addition to these. Announcing adds to the row exactly. Bytes that arrived and uploads that
 * ended are subtracted later, by recounting the open uploads; at the latest before an upload would be refused. So the
 * row may be too high for a while, but never too low.
 */

const SAVE_AFTER_BYTES = 256 * MIB;
const SAVE_AFTER_UPLOADS = 200;
/** A recount takes 10 ms for 100,000 open uploads; the pause after it is this many times longer. */
const REST_FACTOR = 9;

/** An attempt fails only if another caller recounts at the same time. */
const MAX_ATTEMPTS = 10;

const ledgers = new WeakMap<Db, Ledger>();

/** Throws AppError `storage_full` if these bytes would leave less free space than the reserve. */
export async function requireFreeSpace({ blobs }: Pick<Context, 'blobs'>, bytes: number): Promise<void> {
  const space = await blobs.freeSpace();
  if (space && space.freeBytes - bytes < reserveOf(space.totalBytes)) throw new AppError('storage_full');
}

/** Parallel calls in all processes never reserve more than the free space. Throws AppError `storage_full`. */
export async function reserveDiskSpace<T>(
  context: Pick<Context, 'db' | 'blobs' | 'leases'>,
  bytes: number,
  announce: (trx: Trx) => Promise<T>,
): Promise<T> {
  await requireFreeSpace(context, bytes);
  let hasRecounted = false;
  for (let attempt = 1; ; attempt += 1) {
    const room = await measureRoom(context);
    try {
      return await transaction(context.db, async (trx) => {
        const result = await announce(trx);
        // Last, to keep the row lock short.
        const outcome = room ? await addReservation(trx, { bytes, ...room }) : 'added';
        if (outcome !== 'added') throw new NotReserved(outcome);
        return result;
      });
    } catch (error) {
      if (!(error instanceof NotReserved) || attempt === MAX_ATTEMPTS) throw error;
      if (error.outcome === 'full') {
        if (hasRecounted) throw error;
        hasRecounted = true;
        await ledgerOf(context.db).recount();
      }
    }
  }
}

export async function findReservedDiskSpace({ db }: Pick<Context, 'db'>): Promise<number | undefined> {
  return (await findReservation(db))?.bytes;
}

export function countStoredBytes(
  { db, config }: Pick<Context, 'db' | 'config'>,
  uploadId: string,
  bytes: number,
): void {
  // A bucket has no size limit.
  if (!config.s3) ledgerOf(db).add(uploadId, bytes);
}

class NotReserved extends AppError {
  readonly outcome: 'stale' | 'full';

  constructor(outcome: 'stale' | 'full') {
    super('storage_full');
    this.outcome = outcome;
  }
}

async function measureRoom({ db, blobs, leases }: Pick<Context, 'db' | 'blobs' | 'leases'>) {
  // The order matters: bytes received or recounted meanwhile reduce the room or make the attempt stale.
  const recounts = (await findReservation(db))?.recounts;
  // Unsaved bytes already reduce the free space but are still in the row. With several processes another one may have
  // ended the upload, so they don't count.
  const countedTwiceBytes = leases ? 0 : ledgerOf(db).unsavedBytes;
  const space = await blobs.freeSpace();
  if (!space) return undefined;
  const roomBytes = Math.floor(space.freeBytes - reserveOf(space.totalBytes)) + countedTwiceBytes;
  return { roomBytes, recounts };
}

function ledgerOf(db: Db): Ledger {
  const ledger = ledgers.get(db) ?? new Ledger(db);
  ledgers.set(db, ledger);
  return ledger;
}

class Ledger {
  readonly #db: Db;
  #unsaved = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  unsavedBytes = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  add(uploadId: string, bytes: number): void {
    this.#unsaved.set(uploadId, (this.#unsaved.get(uploadId) ?? 0) + bytes);
    this.unsavedBytes += bytes;
    if (this.unsavedBytes < SAVE_AFTER_BYTES && this.#unsaved.size < SAVE_AFTER_UPLOADS) return;
    // The next chunk tries again.
    void this.recount().catch(() => undefined);
  }

  /** Callers that arrive before a recount begins share it. */
  recount(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const startedAt = performance.now();
      const counted = this.#saveAndRecount();
      this.#running = counted
        .catch(() => undefined)
        .then(() => sleep(REST_FACTOR * (performance.now() - startedAt), undefined, { ref: false }));
      return counted;
    });
    return this.#next;
  }

  async #saveAndRecount(): Promise<void> {
    const saved = this.#unsaved;
    const savedBytes = this.unsavedBytes;
    // Clear them before saving: being counted nowhere for a moment can only cause a refusal.
    this.#unsaved = new Map();
    this.unsavedBytes = 0;
    try {
      await transaction(this.#db, async (trx) => {
        for (const [id, bytes] of [...saved].toSorted(([a], [b]) => (a < b ? -1 : 1)))
          await addReceived(trx, id, bytes);
        await recountReservations(trx);
      });
    } catch (error) {
      for (const [id, bytes] of saved) this.#unsaved.set(id, (this.#unsaved.get(id) ?? 0) + bytes);
      this.unsavedBytes += savedBytes;
      throw error;
    }
  }
}

/** A single row, because all uploads share one disk. */
const ID = 'uploads';

type DiskReservation = { bytes: number; recounts: number };

/**
 * One conditional statement, so that parallel callers never exceed the room. `recounts` is the row's value from before
 * the room was measured. Returns `stale` if it was recounted since, `full` if the bytes don't fit or the row doesn't
 * exist yet.
 */
async function addReservation(
  trx: Trx,
  { bytes, roomBytes, recounts }: { bytes: number; roomBytes: number; recounts: number | undefined },
): Promise<'added' | 'stale' | 'full'> {
  const row = await trx
    .updateTable('diskReservations')
    .set((eb) => ({ bytes: eb('bytes', '+', bytes) }))
    .where('id', '=', ID)
    .where('recounts', '=', recounts ?? -1)
    .where((eb) => eb(eb('bytes', '+', bytes), '<=', roomBytes))
    .returning('id')
    .executeTakeFirst();
  if (row) return 'added';
  const current = await findReservation(trx);
  return current?.recounts === recounts ? 'full' : 'stale';
}

async function addReceived(trx: Trx, id: string, bytes: number): Promise<void> {
  await trx
    .updateTable('uploads')
    .set((eb) => ({
      receivedBytes: eb
        .case()
        .when(eb(eb('receivedBytes', '+', bytes), '>', eb.ref('sizeBytes')))
        .then(eb.ref('sizeBytes'))
        .else(eb('receivedBytes', '+', bytes))
        .end(),
    }))
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute();
}

/**
 * Locks the row first: a transaction that has inserted uploads but not yet added their bytes waits here and then adds
 * them to the new sum.
 */
async function recountReservations(trx: Trx): Promise<void> {
  await trx
    .insertInto('diskReservations')
    .values({ id: ID, bytes: 0, recounts: 0 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ recounts: eb('diskReservations.recounts', '+', 1) })),
    )
    .execute();
  const bytes = await sumUnsent(trx);
  await trx.updateTable('diskReservations').set({ bytes }).where('id', '=', ID).execute();
}

async function sumUnsent(db: Db): Promise<number> {
  const { announced, received } = await db
    .selectFrom('uploads')
    .select(({ fn }) => [fn.sum('sizeBytes').as('announced'), fn.sum('receivedBytes').as('received')])
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return Number(announced ?? 0) - Number(received ?? 0);
}

function findReservation(db: Db): Promise<DiskReservation | undefined> {
  return db
    .selectFrom('diskReservations')
    .select(['bytes', 'recounts'])
    .where('id', '=', ID)
    .executeTakeFirst();
}
