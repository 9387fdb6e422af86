import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Lease, Leases } from '../../../platform/leases/leases.ts';
import { chunkInterrupted } from '../../../platform/storage/receive-chunk.ts';
import { isSilent, type Sender, type UploadLock, uploadGate } from './upload-gate.ts';

type Deps = Pick<Context, 'leases'>;

type Entry = {
  /** As `gateKey` makes it. */
  key: string;
  index: number;
  sender: Sender;
};

/** A writer's claim to its chunk, which another process may take over while the writer is stalled. */
export type Right = {
  /** Aborted when the lease is lost, a newer sender replaces a silent one, or the upload is completed or discarded. */
  signal: AbortSignal;
  /** False as soon as another process might own the chunk; undefined where this process is alone. */
  isOurs?(): boolean;
};

/**
 * Runs `write` as the only writer of that chunk in all processes (docs/decisions/0015): first this
 * process's gate decides, then a lease. Throws AppError `unavailable` when the chunk was given up while it waited;
 * writers throw the same when their signal is aborted.
 */
export function enterUpload<T>(
  { leases }: Deps,
  { key, index, sender }: Entry,
  write: (right: Right) => Promise<T>,
): Promise<T> {
  const given = new AbortController();
  const { signal } = given;
  // Keeps the connection open: the sender gets a response and sends the chunk again.
  const giveUp = () => given.abort();
  const breakOff = () => {
    giveUp();
    sender.abort();
  };
  return uploadGate.enter(key, index, { ...sender, abort: breakOff }, async () => {
    if (!leases) return write({ signal });
    const events = {
      onRevoked: giveUp,
      // A stalled sender blocks writers of other processes no longer than those of this one.
      onRequested: () => void abortIfSilent(sender, breakOff, signal),
    };
    const acquire = () => {
      if (signal.aborted) throw chunkInterrupted(signal.reason);
      return leases.acquireSlot(key, String(index), events);
    };
    const lease = await acquireWhenFree(acquire);
    try {
      return await write({ signal, isOurs: () => lease.isOurs() });
    } finally {
      giveUp();
      await lease.release();
    }
  });
}

/** How long to wait for stalled writers in other processes; one that continues longer is alive. */
const SHOWS_LIFE_MS = 4_000;

/** Aborts stalled senders of an upload, in all processes. */
export async function breakStalled({ leases }: Deps, key: string): Promise<void> {
  await uploadGate.breakStalled(key);
  const since = performance.now();
  while ((await leases?.requestSlots(key)) && performance.now() - since < SHOWS_LIFE_MS) await sleep(100);
}

/** Like `UploadLock`, across all processes. */
export type SharedLock = Omit<UploadLock, 'release'> & { release(): Promise<void> };

/** Keeps new chunks of some uploads out, in all processes, until it is released. */
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

/** Waits until nobody writes: holders notice at their next heartbeat, and leases of dead processes expire. */
async function endOthers(leases: Leases, keys: string[]): Promise<void> {
  for (let pause = 20; ; pause = nextPause(pause)) {
    const busy = await leases.listBusy(keys);
    if (busy.length === 0) return;
    await leases.revokeSlots(busy);
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
