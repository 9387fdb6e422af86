const PREFIX = 'sendwell-upload-';

/**
 * Tells the other windows of this browser that this one is sending the transfer. Released with the returned function or
 * when the window closes. Pages on plain http have no locks: there each window offers to resume what it finds.
 */
export function lockTransfer(transferId: string): () => void {
  const released = Promise.withResolvers<void>();
  const locks: LockManager | undefined = navigator.locks;
  void locks
    ?.request(PREFIX + transferId, { ifAvailable: true }, () => released.promise)
    .catch(() => undefined);
  return released.resolve;
}

/** IDs of the transfers that windows of this browser are sending. */
export async function listLockedTransfers(): Promise<Set<string>> {
  const locks: LockManager | undefined = navigator.locks;
  const held = (await locks?.query().catch(() => undefined))?.held ?? [];
  const names = held.map(({ name }) => name ?? '').filter((name) => name.startsWith(PREFIX));
  return new Set(names.map((name) => name.slice(PREFIX.length)));
}

/** Resolves when no window of this browser is sending the transfer. Rejects with the signal's reason. */
export async function waitUntilUnlocked(transferId: string, signal: AbortSignal): Promise<void> {
  const locks: LockManager | undefined = navigator.locks;
  // A shared lock, so that all waiting windows continue together.
  await locks?.request(PREFIX + transferId, { mode: 'shared', signal }, () => undefined);
}
