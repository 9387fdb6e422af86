import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { cleanPath } from '../../../../contracts/values/names/unique-names.ts';
import { layOutZip } from '../../../../contracts/zip/layout.ts';
import type { Context } from '../../../context.ts';
import { readFileWindows } from '../../../platform/db/queries/file-windows.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { BlobOpener } from '../../../platform/lib/byte-source.ts';
import { runInSlices } from '../../../platform/lib/concurrency/time-slices.ts';
import { BlobEndsEarly, type BlobRange } from '../../../platform/storage/blob-store.ts';
import { StoredEntryTable } from '../../../platform/zip/stored-entries.ts';
import type { ZipPlan } from '../../transfers/index.ts';
import { listFileSums } from '../queries.ts';
import { BagManifest } from './bag-manifest.ts';

/** The zip of a bag: the payload in the order of the transfer, then the tag files. */
export type BagPlan = ZipPlan & { bag: Bag };

export type Bag = {
  /** Entries after these are tag files. */
  payloadCount: number;
  /** Opens the tag files, too. */
  over(blobs: BlobOpener): BlobOpener;
  memoryBytes: number;
};

type BagRequest = {
  transferId: string;
  /** The payload. */
  zip: ZipPlan;
  /** The folder that contains the bag. */
  name: string;
};

const CHECKSUM_RETRY_SECONDS = 10;
const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
/** No storage key has a colon. */
const TAG_KEY_PREFIX = 'bag:';
/** No file has this position. */
const NO_POSITION = 2 ** 31 - 1;
const ENTRIES_PER_STEP = 500;

/**
 * Wraps the files of a zip as a bag (RFC 8493), as a pure function of them. Throws AppError `checksums_pending` while
 * their SHA-256s are being computed, and `file_damaged`.
 */
export async function planBag({ db }: Pick<Context, 'db'>, request: BagRequest): Promise<BagPlan> {
  const { transferId, zip, name } = request;
  const payload = zip.layout.entries;
  const sums = await readSums({ db }, transferId, payload);
  return runInSlices(layOutBag({ zip, name, sums }));
}

/** 32 bytes per entry. */
async function readSums(
  { db }: Pick<Context, 'db'>,
  transferId: string,
  payload: StoredEntryTable,
): Promise<Buffer> {
  const sums = Buffer.alloc(payload.count * 32);
  const read = (after: number, upTo: number) => listFileSums(db, transferId, after, upTo);
  let index = 0;
  const after = payload.positionOf(0) - 1;
  for await (const rows of readFileWindows(db, { transferId, after, read })) {
    for (const { position, sha256, damagedAt } of rows) {
      if (index === payload.count || payload.positionOf(index) !== position) continue;
      if (damagedAt !== null) throw new AppError('file_damaged');
      if (sha256 === null)
        throw new AppError('checksums_pending', { retryAfterSeconds: CHECKSUM_RETRY_SECONDS });
      sums.write(sha256, index * 32, 'hex');
      index += 1;
    }
    if (index === payload.count) return sums;
  }
  throw new AppError('transfer_not_found');
}

type BagParts = { zip: ZipPlan; name: string; sums: Buffer };

function* layOutBag({ zip, name, sums }: BagParts): Generator<void, BagPlan> {
  const payload = zip.layout.entries;
  const table = new StoredEntryTable();
  const manifest = new BagManifest(sums);
  let payloadBytes = 0;
  for (let index = 0; index < payload.count; index += 1) {
    const { sizeBytes } = addPayload(table, payload, index);
    manifest.add(payload.nameAt(index));
    payloadBytes += sizeBytes;
    if (index % ENTRIES_PER_STEP === 0) yield;
  }
  const { sha256, crc32: manifestCrc32 } = yield* manifest.digest();
  const { lastModifiedAt } = zip;
  const info = describeBag({ payloadBytes, payloadCount: payload.count, lastModifiedAt });
  const tagFiles = [textFile('bagit.txt', DECLARATION), textFile('bag-info.txt', info)];
  const tagSums = [...tagFiles, { path: BagManifest.path, sha256 }].map(
    (each) => `${each.sha256}  ${each.path}\n`,
  );
  const all = [
    ...tagFiles,
    { path: BagManifest.path, content: manifest, crc32: manifestCrc32 },
    textFile('tagmanifest-sha256.txt', tagSums.join('')),
  ];
  for (const { path, content, crc32 } of all)
    table.add({
      sizeBytes: content.sizeBytes,
      crc32,
      modifiedAt: lastModifiedAt,
      storageKey: TAG_KEY_PREFIX + path,
      offset: 0,
      position: NO_POSITION,
    });
  for (let index = 0; index < payload.count; index += 1) {
    table.addName(`${name}/data/${payload.nameAt(index)}`);
    if (index % ENTRIES_PER_STEP === 0) yield;
  }
  for (const { path } of all) table.addName(`${name}/${path}`);
  table.trim();
  const layout = layOutZip(table);
  const contents = new Map(all.map(({ path, content }) => [TAG_KEY_PREFIX + path, content]));
  const digest = createHash('sha256').update([zip.etag, name, sha256].join('\n')).digest('base64url');
  return {
    sizeBytes: layout.sizeBytes,
    etag: `"bag-${digest.slice(0, 27)}"`,
    lastModifiedAt,
    layout,
    bag: {
      payloadCount: payload.count,
      over: (blobs) => openTagFiles(blobs, contents),
      memoryBytes: manifest.memoryBytes,
    },
  };
}

function addPayload(table: StoredEntryTable, payload: StoredEntryTable, index: number) {
  const { name: _name, ...entry } = payload.entryAt(index);
  table.add({
    ...entry,
    storageKey: payload.storageKeyOf(index),
    offset: payload.offsetOf(index),
    position: payload.positionOf(index),
  });
  return entry;
}

type BagFacts = { payloadBytes: number; payloadCount: number; lastModifiedAt: number };

/** The date is the last change of the files, so that the same files always give the same bag. */
function describeBag({ payloadBytes, payloadCount, lastModifiedAt }: BagFacts): string {
  const date = new Date(lastModifiedAt).toISOString().slice(0, 10);
  return `Bagging-Date: ${date}\nPayload-Oxum: ${payloadBytes}.${payloadCount}\n`;
}

/** A tag file: `copy` fills the whole target from `start` on. */
type TagContent = { sizeBytes: number; copy(target: Buffer, start: number): void };

function textFile(path: string, text: string) {
  const bytes = Buffer.from(text);
  const content: TagContent = {
    sizeBytes: bytes.length,
    copy: (target, start) => void bytes.copy(target, 0, start),
  };
  return { path, content, crc32: crc32(bytes), sha256: createHash('sha256').update(bytes).digest('hex') };
}

function openTagFiles(blobs: BlobOpener, contents: Map<string, TagContent>): BlobOpener {
  return {
    openRange: async (storageKey, start, end) => {
      const content = contents.get(storageKey);
      return content ? readTagFile(content, start, end) : blobs.openRange(storageKey, start, end);
    },
  };
}

function readTagFile(content: TagContent, start: number, end: number): BlobRange {
  let position = start;
  return {
    async fill(views) {
      for (const view of views) {
        if (position + view.length > end) throw new BlobEndsEarly(position + view.length - end);
        content.copy(view, position);
        position += view.length;
      }
    },
    close: async () => undefined,
  };
}

/** A single folder, safe to extract. */
export function nameBagFolder(name: string): string {
  return cleanPath(name.replaceAll('/', '_'));
}
