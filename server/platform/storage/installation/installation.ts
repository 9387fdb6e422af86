import type { Db } from '../../db/open.ts';
import { innermostMessage, isAppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { ConcurrencyLimit } from '../../lib/concurrency/concurrency-limit.ts';
import { randomId } from '../../lib/tokens.ts';
import type { BlobStore } from '../blob-store.ts';
import type { InstallationMarker } from './installation-marker.ts';
import {
  claimInstallationId,
  overwriteInstallation,
  readKnownInstallation,
  recordInstallation,
  type StorageKind,
} from './installation-record.ts';
import {
  decideVerdict,
  type Evidence,
  type Facts,
  NO_ANSWER,
  type StorageFacts,
} from './installation-verdict.ts';
import { beginOrphanQuarantine } from './removal-hold.ts';

export type MarkedStorage = {
  kind: StorageKind;
  place: string;
  store: BlobStore;
  marker: InstallationMarker;
};

export type MarkedStorages = {
  inUse: MarkedStorage[];
  /** The local folder, if there is a bucket and the folder has no blobs. */
  emptyDisk: Pick<MarkedStorage, 'kind' | 'place' | 'marker'> | undefined;
};

export type BlobNames = {
  sampleNamed(limit: number): Promise<string[]>;
  findNamed(keys: string[]): Promise<ReadonlySet<string>>;
};

type Parts = { db: Db; clock: Clock; names: BlobNames };

export class InstallationMismatch extends Error {
  override name = 'InstallationMismatch';
}

const NAMED_SAMPLE = 32;
const STORED_SAMPLE = 1_000;
const LOOKUPS_AT_ONCE = 8;
/** Other processes may take some steps first. More steps mean a storage that loses writes. */
const MAX_STEPS = 12;

/**
 * Returns the id that database and storage share. On a first start the database claims a new id, each storage
 * creates its marker exclusively, and the database records the marker's id. It may be killed at any moment;
 * of concurrent processes, all agree or all but one refuse. Throws InstallationMismatch.
 */
export async function establishInstallation(parts: Parts, storages: MarkedStorages): Promise<string> {
  const { db, clock } = parts;
  const newId = randomId();
  let evidence: Evidence | undefined;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const facts = await readFacts(db, storages);
    const verdict = decideVerdict({ ...facts, evidence });
    if (verdict.kind === 'open') return verdict.id;
    if (verdict.kind === 'refuse') {
      // Throw the storage's own error, which explains more.
      if (facts.storages.some(({ marker }) => marker === NO_ANSWER)) await requireUsable(storages.inUse);
      throw new InstallationMismatch(verdict.sentence);
    }
    if (verdict.kind === 'examine') {
      await requireUsable(storages.inUse);
      evidence = await gatherEvidence(parts.names, storages.inUse);
    } else if (verdict.kind === 'record')
      await recordInstallation(db, { before: facts.record, record: verdict.record, now: clock.now() });
    else {
      const { id = newId, storages: kinds } = verdict;
      const unmarked = storages.inUse.filter(({ kind }) => kinds.includes(kind));
      if (unmarked.some(({ kind }) => !evidence?.storages[kind]?.isEmpty))
        await beginOrphanQuarantine(db, clock.now());
      await claimInstallationId(db, id, clock.now());
      for (const { marker } of unmarked) await marker.create(id);
    }
  }
  const places = storages.inUse.map(({ place }) => place).join(' and ');
  throw new InstallationMismatch(`Sendwell cannot read back what it writes to ${places}.`);
}

/** Undefined if they match. Changes nothing. */
export async function describeMismatch(
  { db, names }: Pick<Parts, 'db' | 'names'>,
  storages: MarkedStorages,
): Promise<{ sentence: string | undefined; evidence: Evidence }> {
  const evidence = await gatherEvidence(names, storages.inUse);
  const verdict = decideVerdict({ ...(await readFacts(db, storages)), evidence });
  return { sentence: verdict.kind === 'refuse' ? verdict.sentence : undefined, evidence };
}

/**
 * Gives the storages to this database under a new id and starts the orphan quarantine; their previous
 * database is refused from then on. If killed, run it again.
 */
export async function adoptStorages(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  { inUse }: MarkedStorages,
): Promise<string> {
  const id = randomId();
  const now = clock.now();
  await beginOrphanQuarantine(db, now);
  await overwriteInstallation(db, { id, storages: inUse.map(({ kind }) => kind) }, now);
  for (const { marker } of inUse) await marker.replace(id);
  return id;
}

export type RestoredPair = {
  /** The id for a backup without one; constant for the same backup. */
  fallbackId: string;
  replacedId: string | undefined;
  hasFiles: boolean;
  /** The operator takes over the storage from any installation. */
  isAdopted: boolean;
};

/**
 * Gives restored rows (not yet in place) and their storages the backup's id. Starts the orphan quarantine,
 * because the storage may be newer than the rows. Throws InstallationMismatch if a storage is foreign or
 * contains files that the rows don't refer to.
 */
export async function pairRestored(
  { db, clock, names }: Parts,
  { inUse }: MarkedStorages,
  { fallbackId, replacedId, hasFiles, isAdopted }: RestoredPair,
): Promise<void> {
  const { record } = await readKnownInstallation(db);
  const id = record?.id ?? fallbackId;
  const evidence = isAdopted ? undefined : await gatherEvidence(names, inUse);
  for (const { kind, place, marker } of inUse) {
    const found = await marker.read();
    if (isAdopted || found === id || (found !== undefined && found === replacedId)) continue;
    const { isEmpty, isKnown } = evidence!.storages[kind]!;
    if (found !== undefined) throw refuseRestore(`belongs to another Sendwell installation`, place);
    if (!isEmpty && !isKnown) throw refuseRestore('contains files that this backup does not know', place);
    if (isEmpty && !hasFiles && evidence!.named > 0)
      throw refuseRestore('is empty, and this backup was made without files', place);
  }
  const now = clock.now();
  for (const { marker } of inUse) await marker.replace(id);
  await overwriteInstallation(db, { id, storages: inUse.map(({ kind }) => kind) }, now);
  await beginOrphanQuarantine(db, now);
}

export async function findInstallationId(db: Db): Promise<string | undefined> {
  return (await readKnownInstallation(db)).record?.id;
}

function refuseRestore(what: string, place: string): InstallationMismatch {
  return new InstallationMismatch(
    `${place[0]!.toUpperCase()}${place.slice(1)} ${what}. Check DATA_DIR, S3_BUCKET and S3_PREFIX. ` +
      'Use --adopt-storage to restore into it anyway; no other installation may use it from then on.',
  );
}

/** Reads the markers before and after the database: if they are unchanged, the snapshot is consistent. */
async function readFacts(db: Db, { inUse, emptyDisk }: MarkedStorages): Promise<Omit<Facts, 'evidence'>> {
  const readAll = () => Promise.all(inUse.map(readMarker));
  for (let before = await readAll(); ; ) {
    const known = await readKnownInstallation(db);
    const storages = await readAll();
    if (storages.every(({ marker }, index) => marker === before[index]!.marker))
      return { ...known, storages, emptyDisk: emptyDisk && (await readMarker(emptyDisk)) };
    before = storages;
  }
}

async function readMarker({
  kind,
  place,
  marker,
}: Pick<MarkedStorage, 'kind' | 'place' | 'marker'>): Promise<StorageFacts> {
  const found = await marker.read().catch((error: unknown) => {
    if (isAppError(error, 'unavailable')) return NO_ANSWER;
    throw error;
  });
  return { kind, place, marker: found };
}

async function requireUsable(storages: MarkedStorage[]): Promise<void> {
  for (const { place, store } of storages) {
    try {
      await store.check();
    } catch (error) {
      throw new InstallationMismatch(`Sendwell cannot use ${place}. ${innermostMessage(error)}`);
    }
  }
}

/** Bounded: a few dozen lookups and the first page of each storage. */
async function gatherEvidence(names: BlobNames, storages: MarkedStorage[]): Promise<Evidence> {
  const keys = await names.sampleNamed(NAMED_SAMPLE);
  const foundKeys = new Set<string>();
  const evidence: Evidence = { named: keys.length, found: 0, storages: {} };
  for (const { kind, store } of storages) {
    const stored = await sampleStored(store);
    const known = stored.length > 0 ? await names.findNamed(stored) : new Set();
    const found = await findStored(store, keys);
    for (const key of found) foundKeys.add(key);
    evidence.storages[kind] = { isEmpty: stored.length === 0, isKnown: known.size > 0 || found.length > 0 };
  }
  return { ...evidence, found: foundKeys.size };
}

async function sampleStored(store: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { storageKey } of store.list()) if (keys.push(storageKey) === STORED_SAMPLE) break;
  return keys;
}

async function findStored(store: BlobStore, keys: string[]): Promise<string[]> {
  const limit = new ConcurrencyLimit(LOOKUPS_AT_ONCE);
  const isThere = async (key: string) => {
    try {
      await (await store.openRange(key, 0, 1)).close();
      return true;
    } catch (error) {
      if (isAppError(error, 'file_not_found')) return false;
      throw error;
    }
  };
  const found = await Promise.all(keys.map((key) => limit.run(() => isThere(key))));
  return keys.filter((_, index) => found[index]);
}
