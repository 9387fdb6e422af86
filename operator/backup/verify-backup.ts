import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Db, openReadOnlyFile } from '../../server/platform/db/open.ts';
import type { ScratchMap } from '../../server/platform/db/scratch-map.ts';
import { type FileLabel, listBlobFiles, listFileLabels } from './blob-file-queries.ts';
import { FileSums } from './blob-files.ts';
import { forEachAtOnce } from './copy-blobs.ts';
import { type BlobNote, findFileFault, readBlobNotes, readCopy } from './folder.ts';
import { MAX_LISTED, type Manifest } from './generations.ts';

const READS_AT_ONCE = 4;

export type BackupProblem = {
  generation: string;
  /** Path within the backup folder; null: the blob could not be read when the backup was made. */
  name: string | null;
  part: 'database' | 'secret' | 'list' | 'blob';
  /** 'recorded': the stored bytes were already missing or wrong when the backup was made. */
  fault: 'missing' | 'damaged' | 'recorded';
  /** The files this concerns, the first MAX_LISTED of them; empty for previews, backgrounds and ads. */
  files: FileLabel[];
};

type VerifyTally = { blobs: number; blobBytes: number; problems: number };

type Verifying = {
  /** Results of generations verified before: they share blobs, and each is read only once. */
  seen: ScratchMap;
  onProblem(problem: BackupProblem): void;
  onProgress?(done: { blobs: number; blobBytes: number }): void;
};

/**
 * Reads everything a generation consists of and compares it with its digests. Writes nothing. Memory does not grow
 * with the size of the backup.
 */
export async function verifyGeneration(
  folder: string,
  manifest: Manifest,
  { seen, onProblem, onProgress }: Verifying,
): Promise<VerifyTally> {
  const tally: VerifyTally = { blobs: 0, blobBytes: 0, problems: 0 };
  const tell = (problem: Omit<BackupProblem, 'generation'>) => {
    tally.problems += 1;
    onProblem({ generation: manifest.name, ...problem });
  };
  let hasRows = true;
  for (const [part, note] of [
    ['database', manifest.database],
    ['secret', manifest.secret],
    ['list', manifest.files],
  ] as const) {
    const fault = note && (await findFileFault(folder, note));
    if (!note || !fault) continue;
    tell({ name: note.name, part, fault, files: [] });
    if (part === 'database') hasRows = false;
  }
  if (!manifest.files) return tally;
  const rows = hasRows ? await openReadOnlyFile(join(folder, manifest.database.name)) : undefined;
  try {
    const notes = readBlobNotes(join(folder, manifest.files.name));
    await forEachAtOnce(notes, READS_AT_ONCE, async (note, block) => {
      const fault = await findBlobFault(folder, note, { seen, block });
      if (fault) {
        const ids = rows ? await listWrongFiles(rows, { folder, note, fault, block }) : [];
        const files = rows ? await listFileLabels(rows, ids) : [];
        tell({ name: note.name, part: 'blob', fault, files });
      }
      tally.blobs += 1;
      tally.blobBytes += note.sizeBytes;
      onProgress?.(tally);
    });
  } finally {
    await rows?.destroy();
  }
  return tally;
}

type Fault = BackupProblem['fault'];

async function findBlobFault(
  folder: string,
  note: BlobNote,
  { seen, block }: { seen: ScratchMap; block: Buffer },
): Promise<Fault | undefined> {
  if (note.name === null) return 'recorded';
  const key = `${note.name} ${note.crc32}`;
  let fault = seen.get(key) as Fault | '' | undefined;
  if (fault === undefined) {
    fault = (await readBlob(folder, note, block)) ?? '';
    seen.set(key, fault);
  }
  if (fault !== '') return fault;
  return note.damagedFiles ? 'recorded' : undefined;
}

async function readBlob(
  folder: string,
  { name, sizeBytes, crc32: expected }: BlobNote,
  block: Buffer,
): Promise<'missing' | 'damaged' | undefined> {
  let sum = 0;
  const fault = await readCopy(join(folder, 'blobs', name!), {
    sizeBytes,
    block,
    onPiece(piece) {
      sum = crc32(piece, sum);
    },
  });
  return fault ?? (sum === expected ? undefined : 'damaged');
}

/** Reads a wrong blob once more to find out which of its files are wrong. */
async function listWrongFiles(
  rows: Db,
  { folder, note, fault, block }: { folder: string; note: BlobNote; fault: Fault; block: Buffer },
): Promise<string[]> {
  if (fault === 'recorded' && note.damagedFiles) return note.damagedFiles.slice(0, MAX_LISTED);
  const sums = new FileSums(listBlobFiles(rows, note.storageKey));
  if (note.name !== null && fault !== 'missing')
    await readCopy(join(folder, 'blobs', note.name), {
      sizeBytes: note.sizeBytes,
      block,
      onPiece: (piece) => sums.add(piece),
    });
  await sums.end();
  return sums.wrong.slice(0, MAX_LISTED).map(({ id }) => id);
}

/** One line for a person. */
export function describeProblem({ generation, name, part, fault, files }: BackupProblem): string {
  const what = {
    database: 'The copy of the database',
    secret: 'The copy of the secret',
    list: 'The list of blobs',
    blob: name === null ? 'A blob' : `blobs/${name}`,
  }[part];
  const how = {
    missing: 'is missing',
    damaged: 'is damaged',
    recorded: 'was already missing or wrong in the storage when the backup was made',
  }[fault];
  const concerned = files.map(describeFileLabel).join(', ');
  return `${generation}: ${what} ${how}${concerned && `; files: ${concerned}`}.`;
}

export function describeFileLabel({ id, path, transferTitle }: FileLabel): string {
  return `“${path}”${transferTitle ? ` of “${transferTitle}”` : ''} (${id})`;
}
