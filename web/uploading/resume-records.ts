import { createStore, del, entries, get, set } from 'idb-keyval';
import type { TransferSettingsInput } from '../../contracts/uploads.ts';

/**
 * Who uploads, as far as this device keeps people apart: '' for whoever is signed in, else something that only
 * the visitors of one invitation with one address have in common.
 */
export type UploadScope = string;

/**
 * What this device remembers of a transfer under way, so that it can go on after a reload or a crash: the
 * server knows the chunks, we know where the files were and what the sender had decided. The password is not
 * kept; `hadPassword` makes the page ask for it again, so that no link comes out open by accident.
 */
export type ResumeRecord = {
  transferId: string;
  /** Whose it is: see `UploadScope`. Absent: the signed-in person's. */
  scope?: UploadScope;
  fileCount: number;
  /** How many of them are part of the transfer already; the server lists the others as unfinished. */
  completedFiles: number;
  settings: TransferSettingsInput;
  hadPassword: boolean;
  /** What the browser can open again, with the person's leave. */
  roots: FileSystemHandle[];
  /** When each file was last changed (epoch ms), by its fingerprint: a changed one is sent from its beginning. */
  modified: Record<string, number>;
  savedAt: number;
};

const store = () => createStore('sendwell-uploads', 'records');

/** A browser that refuses storage (private windows) uploads all the same; it only cannot resume by itself. */
export async function saveRecord(record: ResumeRecord): Promise<void> {
  await set(record.transferId, record, store()).catch(() => {});
}

export async function findRecord(transferId: string): Promise<ResumeRecord | undefined> {
  return get<ResumeRecord>(transferId, store()).catch(() => undefined);
}

export async function removeRecord(transferId: string): Promise<void> {
  await del(transferId, store()).catch(() => {});
}

type Listing = {
  scope: UploadScope;
  /** What the server knows of. */
  transferIds: Set<string>;
  /** Epoch milliseconds; what was saved since is newer than the server's answer. */
  askedAt: number;
};

/** Forgets what the server no longer knew when it was asked; others' records are none of its business. */
export async function keepOnlyRecords({ scope, transferIds, askedAt }: Listing): Promise<void> {
  const known = await entries<string, ResumeRecord>(store()).catch(() => []);
  const own = known.filter(([, record]) => (record.scope ?? '') === scope);
  const stale = own.filter(([id, { savedAt }]) => !transferIds.has(id) && savedAt < askedAt);
  await Promise.all(stale.map(([id]) => removeRecord(id)));
}
