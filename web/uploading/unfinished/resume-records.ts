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
  /** A changed file is sent from the beginning. */
  modified: ModificationTimes;
  /** The sender signed out, so names and texts were removed. */
  isReduced?: true;
  savedAt: number;
};

/** Epoch milliseconds by fingerprint, or, after signing out, by its `hashFingerprint`. */
export type ModificationTimes = Record<string, number>;

type Facts = Omit<ResumeRecord, 'modified'>;
/** Records of earlier versions contain the times. */
type StoredFacts = Facts & Partial<ResumeRecord>;

const store = () => openStore('sendwell-uploads', 'records');

const TIMES = 'times ';

/** Times are stored apart: there may be 100,000, and the other facts change often. */
function keysOf(transferId: string): [facts: string, times: string] {
  return [transferId, TIMES + transferId];
}

/**
 * Without `modified` the stored times stay. Without storage (private windows) uploads still work, but don't resume by
 * themselves.
 */
export async function saveRecord(facts: Facts, modified?: ModificationTimes): Promise<void> {
  const [key, timesKey] = keysOf(facts.transferId);
  await Promise.all([modified && set(timesKey, modified, store()), set(key, facts, store())]).catch(() => {});
}

export async function findRecord(transferId: string): Promise<ResumeRecord | undefined> {
  const found = await Promise.all(keysOf(transferId).map((key) => get(key, store()))).catch(() => []);
  const [facts, times] = found as [StoredFacts?, ModificationTimes?];
  return facts && { ...facts, modified: times ?? facts.modified ?? {} };
}

export async function removeRecord(transferId: string): Promise<void> {
  await Promise.all(keysOf(transferId).map((key) => del(key, store()))).catch(() => {});
}

/** What is stored in this scope, without the times. */
export async function listFacts(scope: UploadScope): Promise<StoredFacts[]> {
  const known = await entries<string, StoredFacts>(store()).catch(() => []);
  return known.flatMap(([key, facts]) =>
    !key.startsWith(TIMES) && (facts.scope ?? '') === scope ? [facts] : [],
  );
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
  const stale = (await listFacts(scope))
    .filter(({ transferId, savedAt }) => !transferIds.has(transferId) && savedAt < requestedAt)
    .map(({ transferId }) => transferId);
  await Promise.all(stale.map(removeRecord));
  return stale;
}
