import { createStore, del, get, keys, set } from 'idb-keyval';
import type { TransferSettingsInput } from '../../../contracts/uploads.ts';

/**
 * What this device remembers of a transfer under way, so that it can go on after a reload or a crash: the
 * server knows the chunks, we know where the files were and what the sender had decided. The password is not
 * kept; `hadPassword` makes the page ask for it again, so that no link comes out open by accident.
 */
export type ResumeRecord = {
  transferId: string;
  fileCount: number;
  settings: TransferSettingsInput;
  hadPassword: boolean;
  /** What the browser can open again, with the person's leave. */
  roots: FileSystemHandle[];
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

/** Forgets what the server no longer knows. */
export async function keepOnlyRecords(transferIds: Set<string>): Promise<void> {
  const known = await keys<string>(store()).catch(() => []);
  await Promise.all(known.filter((id) => !transferIds.has(id)).map(removeRecord));
}
