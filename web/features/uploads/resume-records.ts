import { createStore, del, entries, get, set } from 'idb-keyval';
import type { TransferSettingsInput } from '../../../contracts/uploads.ts';

/**
 * What this device remembers of a transfer under way, so that it can go on after a reload or a crash: the
 * server knows the chunks, we know where the files were and what the sender had decided. The password is not
 * kept; `hadPassword` makes the page ask for it again, so that no link comes out open by accident.
 */
export type ResumeRecord = {
  transferId: string;
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

/** Forgets what the server no longer knew at an instant (epoch ms); what was saved since is newer than its answer. */
export async function keepOnlyRecords(transferIds: Set<string>, askedAt: number): Promise<void> {
  const known = await entries<string, ResumeRecord>(store()).catch(() => []);
  const stale = known.filter(([id, { savedAt }]) => !transferIds.has(id) && savedAt < askedAt);
  await Promise.all(stale.map(([id]) => removeRecord(id)));
}
