import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Lease, Leases } from '../../../platform/leases/leases.ts';
import { chunkInterrupted } from '../../../platform/storage/receive-chunk.ts';
import { isSilent, type Sender, type UploadLock, uploadGate } from './upload-gate.ts';

type Deps = Pick<Context, 'leases'>;

type Entry = {
  /** From `gateKey`. */
  key: string;
  index: number;
  sender: Sender;
};

/** A writer's claim to its chunk. Another process may take the chunk over if the writer stalls. */
export type Right = {
  /**
   * Aborted if the lease is lost, if a new sender replaces a stalled one, or if the upload is completed or discarded.
   */
  signal: AbortSignal;
  /** Returns false once another process might own the chunk; undefined if there are no other processes. */
  isOurs?(): boolean;
};

/**
 * Runs `write` as the only writer of that chunk in all processes (docs/decisions/0015): first this process's gate
 * decides, then a lease. Throws AppError `unavailable` if the claim was lost while waiting; writers throw the same if
 * their signal is aborted.
 */
export function enterUpload<T>(
  { leases }: Deps,
  { key, index, sender }: Entry,
  write: (right: Right) => Promise<T>,
): Promise<T> {
  const given = new AbortController();
  const { signal } = given;
  // Keep the connection open: the sender gets a response and sends the chunk again.
  const giveUp = () => given.abort();
  const breakOff = () => {
    giveUp();
    sender.abort();
  };
  return uploadGate.enter(key, index, { ...sender, abort: breakOff }, async () => {
    if (!leases) return write({ signal });
    const asked = {
      onEnd: giveUp,
      // A stalled sender blocks writers in other processes no longer than those in this one.
      onWanted: () => void abortIfSilent(sender, breakOff, signal),
    };
    const take = () => {
      if (signal.aborted) throw chunkInterrupted(signal.reason);
      return leases.acquireSlot(key, String(index), asked);
    };
    const lease = await acquireWhenFree(take);
    try {
      return await write({ signal, isOurs: () => lease.isOurs() });
    } finally {
      giveUp();
      await lease.release();
    }
  });
}

/** How long to wait for other processes to abort stalled writers; a writer that continues after that is alive. */
const SHOWS_LIFE_MS = 4_000;

/** Aborts stalled senders of an upload, in all processes. */
export async function breakStalled({ leases }: Deps, key: string): Promise<void> {
  await uploadGate.breakStalled(key);
  const since = performance.now();
  while ((await leases?.askOthers(key)) && performance.now() - since < SHOWS_LIFE_MS) await sleep(100);
}

export type SharedLock = Omit<UploadLock, 'release'> & { release(): Promise<void> };

/** Keeps new chunks of these uploads out, in all processes, until the lock is released. */
export async function lockUploads({ leases }: Deps, keys: string[]): Promise<SharedLock> {
  const lock = uploadGate.lock(keys);
  if (!leases) return { ...lock, release: async () => lock.release() };
  try {
    const lease = await acquireWhenFree(() => leases.acquireWhole(keys));
    return shareLock(leases, { keys, lock, lease });
  } catch (error) {
    lock.release();
    throw error;
  }
}

type Taken = { keys: string[]; lock: UploadLock; lease: Lease };

async function shareLock(leases: Leases, { keys, lock, lease }: Taken): Promise<SharedLock> {
  const release = async () => {
    await lease.release();
    lock.release();
  };
  try {
    const busy = [...new Set([...lock.busy, ...(await leases.listBusy(keys))])];
    const stopWriters = async () => {
      await lock.stopWriters();
      await endOthers(leases, keys);
    };
    return { busy, stopWriters, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Waits until all writers have stopped. Writers learn of the end of their lease at its next heartbeat; leases of dead
 * processes expire.
 */
async function endOthers(leases: Leases, keys: string[]): Promise<void> {
  for (let pause = 20; ; pause = nextPause(pause)) {
    const busy = await leases.listBusy(keys);
    if (busy.length === 0) return;
    await leases.endSlots(busy);
    await sleep(pause);
  }
}

async function acquireWhenFree(take: () => Promise<Lease | undefined>): Promise<Lease> {
  for (let pause = 20; ; pause = nextPause(pause)) {
    const lease = await take();
    if (lease) return lease;
    await sleep(pause * (0.5 + Math.random()));
  }
}

function nextPause(pause: number): number {
  return Math.min(2 * pause, 250);
}

async function abortIfSilent(sender: Sender, abort: () => void, signal: AbortSignal): Promise<void> {
  if (await isSilent(sender, signal)) abort();
}
