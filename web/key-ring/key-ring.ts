import { del, entries, get, set } from 'idb-keyval';
import type { EncryptionParams } from '../../contracts/transfers/encryption.ts';
import type { TransferKeys } from '../../encryption/keys.ts';
import { openStore } from '../lib/browser/database.ts';

/** The key of an encrypted transfer, as this browser keeps it. Nobody else can restore it. */
export type KeptKey = {
  transferId: string;
  /** The ID of the user who sent the transfer; browsers may have several. */
  owner: string;
  /** The link's fragment without `#`. */
  key: string;
  params: EncryptionParams;
  /** Derived from the key and the password, so that the password is not needed again. Absent after signing out. */
  keys?: TransferKeys;
  /** The upload has not finished. The key is deleted with it. */
  isDraft: boolean;
  /** The transfer's token, so that the link of a resumed draft can be shown. */
  draftToken?: string | undefined;
  /** Of the manifest that was sent last. */
  revision?: number;
  /** Of the manifest. Absent after signing out, and for imported keys. */
  title?: string | null;
  firstFileName?: string | null;
  /** Epoch milliseconds. */
  savedAt: number;
};

const store = () => openStore('sendwell-key-ring', 'keys');
const listeners = new Set<() => void>();

/** Rejects if the browser has no storage, as in some private windows. */
export async function keepKey(kept: KeptKey): Promise<void> {
  await set(kept.transferId, kept, store());
  announceKeys();
}

export async function findKey(transferId: string): Promise<KeptKey | undefined> {
  return get<KeptKey>(transferId, store()).catch(() => undefined);
}

export async function changeKey(transferId: string, change: Partial<KeptKey>): Promise<void> {
  const kept = await findKey(transferId);
  if (kept) await keepKey({ ...kept, ...change }).catch(() => {});
}

export async function deleteKey(transferId: string): Promise<void> {
  await del(transferId, store()).catch(() => {});
  announceKeys();
}

/** The keys of this user, newest first. */
export async function listKeys(owner: string): Promise<KeptKey[]> {
  const known = await entries<string, KeptKey>(store()).catch(() => []);
  return known
    .map(([, kept]) => kept)
    .filter((kept) => kept.owner === owner)
    .sort((one, other) => other.savedAt - one.savedAt);
}

/**
 * Removes names, titles and derived keys after signing out. The keys themselves remain, because they can't be restored;
 * without the token of its transfer, which only the server has, a key opens nothing.
 */
export async function reduceKeys(): Promise<void> {
  const known = await entries<string, KeptKey>(store()).catch(() => []);
  for (const [, { title, firstFileName, keys, draftToken, ...kept }] of known)
    if (keys || draftToken || title !== undefined || firstFileName !== undefined)
      await keepKey(kept).catch(() => {});
}

/** Calls back after each change in this window. */
export function onKeysChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Call it when other stores of keys have changed. */
export function announceKeys(): void {
  for (const listener of listeners) listener();
}
