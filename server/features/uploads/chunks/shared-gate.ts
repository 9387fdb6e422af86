import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Lease, Leases } from '../../../platform/leases/leases.ts';
import { chunkInterrupted } from '../../../platform/storage/receive-chunk.ts';
import { isSilent, type Sender, type UploadLock, uploadGate } from './upload-gate.ts';

type Deps = Pick<Context, 'leases'>;

type Entry = {
  key: string;
  index: number;
  sender: Sender;
};

export type ChunkClaim = {
  /**
   * Aborted if the lease is lost, if a new sender replaces a stalled one, or if the upload is completed or discarded.
   */
  signal: AbortSignal;
  /** Returns false once another process might own the chunk; undefined if there are no other processes. */
  isOurs?(): boolean;
};

/**
 * Runs `write` as the only writer of that chunk in all processes (docs/decisions/0015): this process's gate decides
 * first, then a lease. Throws AppError `unavailable` if the claim was lost while waiting; so must `write` if its
 * signal is aborted.
 */
export function enterUpload<T>(
  { leases }: Deps,
  { key, index, sender }: Entry,
  write: (claim: ChunkClaim) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const { signal } = ended;
  // Keep the connection open: the sender gets a response and sends the chunk again.
  const endClaim = () => ended.abort();
  const abortSender = () => {
    endClaim();
    sender.abort();
  };
  return uploadGate.enter(key, index, { ...sender, abort: abortSender }, async () => {
    if (!leases) return write({ signal });
    const callbacks = {
      onRevoked: endClaim,
      // A stalled sender blocks writers in other processes no longer than those in this one.
      onRequested: () => void abortIfSilent(sender, abortSender, signal),
    };
    const acquire = () => {
      if (signal.aborted) throw chunkInterrupted(signal.reason);
      return leases.acquireSlot(key, String(index), callbacks);
    };
    const lease = await acquireWhenFree(acquire);
    try {
      return await write({ signal, isOurs: () => lease.isOurs() });
    } finally {
      endClaim();
      await lease.release();
    }
  });
}

/** How long to wait for other processes to abort stalled writers; a writer that continues after that is alive. */
const STALL_TIMEOUT_MS = 4_000;

export async function abortStalled({ leases }: Deps, key: string): Promise<void> {
  await uploadGate.abortStalled(key);
  const since = performance.now();
  while ((await leases?.requestSlots(key)) && performance.now() - since < STALL_TIMEOUT_MS) await sleep(100);
}

export type SharedLock = Omit<UploadLock, 'release'> & { release(): Promise<void> };

/** Keeps new chunks of these uploads out, in all processes, until the lock is released. */
export async function lockUploads({ leases }: Deps, keys: string[]): Promise<SharedLock> {
  const lock = uploadGate.lock(keys);
  if (!leases) return { ...lock, release: async () => lock.release() };
  try {
    const lease = await acquireWhenFree(() => leases.acquireWhole(keys));
    return createSharedLock(leases, { keys, lock, lease });
  } catch (error) {
    lock.release();
    throw error;
  }
}

type AcquiredLock = { keys: string[]; lock: UploadLock; lease: Lease };

async function createSharedLock(leases: Leases, { keys, lock, lease }: AcquiredLock): Promise<SharedLock> {
  const release = async () => {
    await lease.release();
    lock.release();
  };
  try {
    const busy = [...new Set([...lock.busy, ...(await leases.listBusy(keys))])];
    const stopWriters = async () => {
      await lock.stopWriters();
      await stopOtherWriters(leases, keys);
    };
    return { busy, stopWriters, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Writers notice a revoked lease at their next heartbeat; leases of dead processes expire. */
async function stopOtherWriters(leases: Leases, keys: string[]): Promise<void> {
  for (let pause = 20; ; pause = nextPause(pause)) {
    const busy = await leases.listBusy(keys);
    if (busy.length === 0) return;
    await leases.revokeSlots(busy);
    await sleep(pause);
  }
}

async function acquireWhenFree(acquire: () => Promise<Lease | undefined>): Promise<Lease> {
  for (let pause = 20; ; pause = nextPause(pause)) {
    const lease = await acquire();
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
