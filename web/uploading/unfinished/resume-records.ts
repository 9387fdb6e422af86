import { del, entries, get, set } from 'idb-keyval';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads/uploads.ts';
import { openStore } from '../../lib/browser/database.ts';
import { hashFingerprint } from '../engine/upload-item.ts';

/** Separates the uploads of different people on a device: '' if signed in, otherwise the invitation and the visitor's address. */
export type UploadScope = string;

/**
 * What a device stores about a running transfer so that it can resume after a reload or crash. The server knows the
 * chunks; the device knows the files and the settings. The password is not stored: `hadPassword` makes the page ask
 * for it again, so that the link isn't public by accident.
 */
export type ResumeRecord = {
  transferId: string;
  /** Absent in records of signed-in users from earlier versions. */
  scope?: UploadScope;
  fileCount: number;
  /** Files that are part of the transfer already; the server lists the others as unfinished. */
  completedFiles: number;
  settings: TransferSettingsInput;
  /** The user had pressed Upload, so the transfer completes by itself when it resumes. Absent in earlier versions. */
  isSubmitted?: boolean;
  hadPassword: boolean;
  /** Handles the browser can reopen, with the user's permission. */
  roots: FileSystemHandle[];
  /**
   * Modification times (epoch ms) by fingerprint; a changed file is sent from the beginning. Reduced records use
   * `hashFingerprint` of it.
   */
  modified: Record<string, number>;
  /** The sender signed out, so names and texts were removed. */
  isReduced?: true;
  savedAt: number;
};

const store = () => openStore('sendwell-uploads', 'records');

/** Without storage (private windows) uploads still work, but don't resume by themselves. */
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
 * Removes titles, messages, recipients, file names and handles after signing out. IDs, sizes, dates and checksums of
 * names remain, which is enough to resume with the same files.
 */
export async function reduceRecords(): Promise<void> {
  const known = await entries<string, ResumeRecord>(store()).catch(() => []);
  const own = known.filter(([, { scope, isReduced }]) => (scope ?? '') === '' && !isReduced);
  await Promise.all(own.map(([, record]) => saveRecord(reduceRecord(record))));
}

export function reduceRecord(record: ResumeRecord): ResumeRecord {
  const { title, message, recipientEmails, ...settings } = record.settings;
  const modified = Object.entries(record.modified).map(([print, time]) => [hashFingerprint(print), time]);
  return { ...record, settings, roots: [], modified: Object.fromEntries(modified), isReduced: true };
}

/** The recorded modification time of the file with this fingerprint. */
export function modifiedAt({ modified }: ResumeRecord, print: string): number | undefined {
  return modified[print] ?? modified[hashFingerprint(print)];
}

type Listing = {
  scope: UploadScope;
  /** Unfinished on the server. */
  transferIds: Set<string>;
  /** Epoch milliseconds. Records saved since then are newer than the server's list. */
  requestedAt: number;
};

/** Removes this scope's records of transfers that the server no longer has, and returns the IDs of these. */
export async function keepOnlyRecords({ scope, transferIds, requestedAt }: Listing): Promise<string[]> {
  const known = await entries<string, ResumeRecord>(store()).catch(() => []);
  const own = known.filter(([, record]) => (record.scope ?? '') === scope);
  const stale = own.filter(([id, { savedAt }]) => !transferIds.has(id) && savedAt < requestedAt);
  await Promise.all(stale.map(([id]) => removeRecord(id)));
  return stale.map(([id]) => id);
}
