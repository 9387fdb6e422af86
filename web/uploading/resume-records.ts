import { createStore, del, entries, get, set } from 'idb-keyval';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
import { crc32 } from './crc32.ts';

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
  /**
   * When each file was last changed (epoch ms), by its fingerprint: a changed one is sent from its beginning. In a
   * reduced record by `nameless` of it.
   */
  modified: Record<string, number>;
  /** Without names and texts, since the sender has signed out. */
  isReduced?: true;
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

/**
 * Removes what a signed-out person leaves on this device: titles, messages, recipients, names and handles of files.
 * What remains (IDs, sizes, dates, checksums of names) is enough to resume with the same files.
 */
export async function reduceRecords(): Promise<void> {
  const known = await entries<string, ResumeRecord>(store()).catch(() => []);
  const own = known.filter(([, { scope, isReduced }]) => (scope ?? '') === '' && !isReduced);
  await Promise.all(own.map(([, record]) => saveRecord(reduceRecord(record))));
}

export function reduceRecord(record: ResumeRecord): ResumeRecord {
  const { title, message, recipientEmails, ...settings } = record.settings;
  const modified = Object.entries(record.modified).map(([print, time]) => [nameless(print), time]);
  return { ...record, settings, roots: [], modified: Object.fromEntries(modified), isReduced: true };
}

/** When a file with this fingerprint was last changed, as the record knows it. */
export function modifiedAt({ modified }: ResumeRecord, print: string): number | undefined {
  return modified[print] ?? modified[nameless(print)];
}

/** The size and a checksum of the path. */
function nameless(print: string): string {
  const [size = ''] = print.split(':', 1);
  const path = new TextEncoder().encode(print.slice(size.length + 1));
  return `${size}:crc32:${crc32(path).toString(16)}`;
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
