import { reduceKeys } from '../../key-ring/key-ring.ts';
import { reduceDraftFiles } from '../encryption/draft-files.ts';
import { hashFingerprint } from '../engine/upload-item.ts';
import { findRecord, listFacts, type ResumeRecord, saveRecord } from './resume-records.ts';

/** After signing out, no names and texts of transfers remain on the device. */
export async function reduceAll(): Promise<void> {
  await Promise.all([reduceRecords(), reduceKeys(), reduceDraftFiles()]);
}

/**
 * Removes titles, messages, recipients, file names and handles after signing out. IDs, sizes, dates and checksums of
 * names remain, which is enough to resume with the same files.
 */
export async function reduceRecords(): Promise<void> {
  for (const { transferId, isReduced } of await listFacts('')) {
    const record = isReduced ? undefined : await findRecord(transferId);
    if (!record) continue;
    const { modified, ...facts } = reduceRecord(record);
    await saveRecord(facts, modified);
  }
}

export function reduceRecord(record: ResumeRecord): ResumeRecord {
  const { title, message, recipientEmails, ...settings } = record.settings;
  const modified = Object.entries(record.modified).map(([print, time]) => [hashFingerprint(print), time]);
  return { ...record, settings, roots: [], modified: Object.fromEntries(modified), isReduced: true };
}
