import { MARKER_NAME } from './installation-marker.ts';
import type { InstallationRecord, KnownInstallation, StorageKind } from './installation-record.ts';

export type StorageFacts = {
  kind: StorageKind;
  place: string;
  /** Undefined without a marker, `NO_ANSWER` if the storage didn't respond. */
  marker: string | undefined;
};

export const NO_ANSWER = 'no answer';

/** Needed only if a storage has no marker yet. */
export type Evidence = {
  /** Of a sample of the blobs that rows refer to: how many were looked up, and how many were found. */
  named: number;
  found: number;
  /** Whether it has no blobs, and whether the database knows some of its blobs. */
  storages: Partial<Record<StorageKind, { isEmpty: boolean; isKnown: boolean }>>;
};

export type Facts = KnownInstallation & {
  storages: StorageFacts[];
  /** The local folder, if there is a bucket and the folder has no blobs. */
  emptyDisk: StorageFacts | undefined;
  evidence: Evidence | undefined;
};

export type Verdict =
  /** A storage that did not respond is checked again before it is used (`InstallationGuard`). */
  | { kind: 'open'; id: string }
  | { kind: 'examine' }
  /** Write markers with this id (undefined: a new one). */
  | { kind: 'mark'; id: string | undefined; storages: StorageKind[] }
  | { kind: 'record'; record: InstallationRecord }
  | { kind: 'refuse'; sentence: string };

/**
 * Decides whether database and storage belong together. Called again after each step until it opens or refuses.
 *
 * | id in database | id in storage | otherwise                                          | verdict |
 * |----------------|---------------|----------------------------------------------------|---------|
 * | X              | X             |                                                    | open    |
 * | X              | another       |                                                    | refuse  |
 * | X              | none          | the storage was in use: missing mount, no sharing  | refuse  |
 * | X              | none          | a bucket joins; it is empty or its blobs are known | mark    |
 * | X              | none          | a bucket joins; its blobs are unknown              | refuse  |
 * | X              | X or none     | the database's files are in a storage not in use   | refuse  |
 * | none           | Y             | this database claimed Y: a first start was killed  | record  |
 * | none           | Y             | Y is unknown to this database                      | refuse  |
 * | none           | none          | no blobs, and no rows that name any                | mark    |
 * | none           | none          | blobs that the database knows (older version)      | mark    |
 * | none           | none          | blobs, and no rows that name any (empty database)  | refuse  |
 * | none           | none          | rows name blobs, and there are none (no mount)     | refuse  |
 * | none           | none          | fewer than half of the looked-up blobs are there   | refuse  |
 */
export function decideVerdict(facts: Facts): Verdict {
  return facts.record ? decideForKnown(facts, facts.record) : decideForNew(facts);
}

function decideForKnown(facts: Facts, record: InstallationRecord): Verdict {
  const { storages, emptyDisk } = facts;
  const used = storages.map(({ kind }) => kind);
  if (record.storages.includes('bucket') && !used.includes('bucket'))
    return refuse(
      "This installation's files are in a bucket, but S3_BUCKET is not set. Set the S3_ settings as before, " +
        `or move the files to DATA_DIR with backup and restore. ${ADOPT}`,
    );
  const isDiskGone = record.storages.includes('disk') && !used.includes('disk');
  if (isDiskGone && emptyDisk?.marker !== record.id)
    return refuse(
      `Files of this installation are on a disk that is missing: ${emptyDisk!.place} does not have its marker. ` +
        'Mount the volume, or start on the machine that has the files until move-to-s3 has moved all of them and ' +
        `the server there has been restarted. ${ADOPT}`,
    );
  for (const { kind, place, marker } of storages) {
    if (marker === undefined && record.storages.includes(kind)) return refuse(explainMissing(kind, place));
    if (marker !== undefined && marker !== record.id && marker !== NO_ANSWER)
      return refuse(explainOther(place));
    if (marker === NO_ANSWER && !record.storages.includes(kind)) return refuse(explainSilent(place));
  }
  if (storages.some(({ marker }) => marker === undefined)) return decideForUnmarked(facts, record.id);
  if (used.join() === record.storages.join()) return { kind: 'open', id: record.id };
  return { kind: 'record', record: { id: record.id, storages: used } };
}

function decideForNew(facts: Facts): Verdict {
  const { storages, claims } = facts;
  const marked = storages.filter(({ marker }) => marker !== undefined);
  const id = marked[0]?.marker;
  for (const { place, marker } of marked) {
    if (marker === NO_ANSWER) return refuse(explainSilent(place));
    if (!claims.has(marker!) || marker !== id) return refuse(explainOther(place));
  }
  if (marked.length < storages.length) return decideForUnmarked(facts, id);
  return { kind: 'record', record: { id: id!, storages: storages.map(({ kind }) => kind) } };
}

function decideForUnmarked({ storages, evidence }: Facts, id: string | undefined): Verdict {
  if (!evidence) return { kind: 'examine' };
  const { named, found } = evidence;
  const unmarked = storages.filter(({ marker }) => marker === undefined);
  const all = unmarked.map(({ place }) => place).join(' and ');
  for (const { kind, place } of unmarked) {
    const { isEmpty, isKnown } = evidence.storages[kind]!;
    if (!isEmpty && !isKnown)
      return refuse(
        named > 0
          ? `${capital(place)} contains files that this database does not know, but not those that it knows. ${CHECK} ${ADOPT}`
          : `${capital(place)} contains files that this database does not know: the database is empty, or not the one that belongs to these files. ${CHECK} ${ADOPT}`,
      );
  }
  if (found * 2 < named)
    return refuse(
      found === 0 && unmarked.every(({ kind }) => evidence.storages[kind]!.isEmpty)
        ? `The database refers to files, but ${all} is empty. ${MOUNT} ${ADOPT}`
        : `Of ${named} files of the database that were looked up, only ${found} are in ${all}. ${MOUNT} ${ADOPT}`,
    );
  return { kind: 'mark', id, storages: unmarked.map(({ kind }) => kind) };
}

const ADOPT =
  'If this storage is the right one, run "npm run cli -- adopt-storage" and start the server again.';
const CHECK = 'Check DATABASE_URL, DATA_DIR and, with a bucket, S3_BUCKET and S3_PREFIX.';
const MOUNT =
  'Is the volume mounted, and is it the right one? Several machines need one S3 bucket for their files.';

function explainMissing(kind: StorageKind, place: string): string {
  const start = `${capital(place)} does not have its marker (${MARKER_NAME}), but this database has been used with a storage that does.`;
  return `${start} ${kind === 'disk' ? MOUNT : CHECK} ${ADOPT}`;
}

function explainOther(place: string): string {
  return (
    `${capital(place)} belongs to another Sendwell installation than this database. ${CHECK} ` +
    `Installations that share a bucket need an S3_PREFIX each. ${ADOPT}`
  );
}

function explainSilent(place: string): string {
  return `${capital(place)} does not respond, so Sendwell could not check it for this first start. Start again once it does.`;
}

function refuse(sentence: string): Verdict {
  return { kind: 'refuse', sentence };
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
