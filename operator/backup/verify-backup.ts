import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { Argument, Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { SECOND_MS } from '../../contracts/values/durations.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { ScratchMap } from '../../server/platform/db/backup/scratch-map.ts';
import { type Db, openReadOnlyFile } from '../../server/platform/db/open.ts';
import { systemClock, toIso } from '../../server/platform/lib/clock.ts';
import type { Command, CommandCall } from '../command.ts';
import { forEachAtOnce } from '../stored-bytes.ts';
import {
  BlobVerifier,
  describeFileLabel,
  type FileLabel,
  listBlobFiles,
  listFileLabels,
} from './blob-files.ts';
import { type BlobEntry, findFileFault, readBlobList, readCopy } from './folder.ts';
import {
  getGeneration,
  listGenerations,
  lockForReading,
  MAX_LISTED,
  type Manifest,
  writeVerification,
} from './generations.ts';

const REPORT_EVERY_MS = 5 * SECOND_MS;

export const verifyBackup: Command = {
  name: 'verify-backup',
  summary: 'Read a backup and verify everything in it against its digests',
  details: [
    'Verifies all generations, or the one you choose. Blobs that generations share are read once. Progress goes to ' +
      'standard error. If the folder is writable, the result is recorded in it, and list-backups shows it.',
    'Exit code 3 means that something is missing or damaged. The output lists the files.',
  ],
  arguments: [new Argument('<folder>', 'The backup folder')],
  options: [new Option('--generation <name>', 'Verify only this generation (see list-backups)')],
  async run(call: CommandCall<[string], { generation?: string }>) {
    const folder = resolve(call.args[0]);
    const { generation } = call.options;
    const unlock = await lockForReading(folder);
    const seen = new ScratchMap();
    try {
      const { complete, unreadable } = await listGenerations(folder);
      const chosen =
        generation === undefined ? complete.toReversed() : [await getGeneration(folder, generation)];
      if (chosen.length + unreadable.length === 0)
        throw new CommandError(EXIT.failed, `There is no complete backup in ${folder}.`);
      for (const file of unreadable) call.say(`${file} is damaged. That generation cannot be restored.`);
      let problems = unreadable.length;
      const found: BackupProblem[] = [];
      for (const manifest of chosen) {
        const result = await verifyAndRecord(call, folder, { manifest, seen });
        problems += result.problems;
        found.push(...result.listed);
      }
      const generations = chosen.map(({ name }) => name);
      const verdict = problems === 0 ? 'no problems' : `${problems} problems`;
      call.report(
        { folder, generations, unreadable, problems, found },
        `${chosen.length} generations verified: ${verdict}.`,
      );
      return problems === 0 ? EXIT.ok : EXIT.found;
    } finally {
      seen.close();
      unlock();
    }
  },
};

/** Prints the first problems and records the result in the folder. */
async function verifyAndRecord(
  call: Pick<CommandCall, 'say' | 'progress'>,
  folder: string,
  { manifest, seen }: { manifest: Manifest; seen: ScratchMap },
): Promise<{ problems: number; listed: BackupProblem[] }> {
  const listed: BackupProblem[] = [];
  let isGood = true;
  const { problems } = await verifyGeneration(folder, manifest, {
    seen,
    onProblem: (problem) => {
      if (problem.fault !== 'recorded') isGood = false;
      if (listed.length < MAX_LISTED) listed.push(problem);
    },
    onProgress: createProgress(call, `${manifest.name}: verified`, manifest.files ?? undefined),
  });
  for (const problem of listed) call.say(describeProblem(problem));
  const verification = { verifiedAt: toIso(systemClock.now()), isGood, problems };
  await writeVerification(folder, manifest.name, verification).catch((error: Error) =>
    call.say(`The result could not be recorded in the folder: ${error.message}`),
  );
  return { problems, listed };
}

/** Prints at most one line every few seconds. */
export function createProgress(
  { progress }: Pick<CommandCall, 'progress'>,
  verb: string,
  total: { blobs: number; blobBytes: number } | undefined,
): (done: { blobs: number; blobBytes: number }) => void {
  let reportedAt = performance.now();
  return ({ blobs, blobBytes }) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    const of = total ? ` of ${total.blobs} blobs, ${formatSize(total.blobBytes)}` : ' blobs';
    progress(`${verb} ${blobs}${of} (${formatSize(blobBytes)} so far)`);
  };
}

const READS_AT_ONCE = 4;

export type BackupProblem = {
  generation: string;
  /** null: the blob could not be read when the backup was made. */
  name: string | null;
  part: 'database' | 'secret' | 'list' | 'blob';
  /** 'recorded': already missing or wrong in the storage when the backup was made. */
  fault: 'missing' | 'damaged' | 'recorded';
  /** At most MAX_LISTED affected files; empty for previews, backgrounds and ads. */
  files: FileLabel[];
};

type VerifyTally = { blobs: number; blobBytes: number; problems: number };

type Verifying = {
  /** Results for blobs that generations share, so that each blob is read once. */
  seen: ScratchMap;
  onProblem(problem: BackupProblem): void;
  onProgress?(done: { blobs: number; blobBytes: number }): void;
};

/**
 * Verifies all parts of a generation against their digests. Writes nothing. Memory use is independent of the size of
 * the backup.
 */
export async function verifyGeneration(
  folder: string,
  manifest: Manifest,
  { seen, onProblem, onProgress }: Verifying,
): Promise<VerifyTally> {
  const tally: VerifyTally = { blobs: 0, blobBytes: 0, problems: 0 };
  const report = (problem: Omit<BackupProblem, 'generation'>) => {
    tally.problems += 1;
    onProblem({ generation: manifest.name, ...problem });
  };
  let hasRows = true;
  for (const [part, file] of [
    ['database', manifest.database],
    ['secret', manifest.secret],
    ['list', manifest.files],
  ] as const) {
    const fault = file && (await findFileFault(folder, file));
    if (!file || !fault) continue;
    report({ name: file.name, part, fault, files: [] });
    if (part === 'database') hasRows = false;
  }
  if (!manifest.files) return tally;
  const rows = hasRows ? await openReadOnlyFile(join(folder, manifest.database.name)) : undefined;
  try {
    const entries = readBlobList(join(folder, manifest.files.name));
    await forEachAtOnce(entries, READS_AT_ONCE, async (entry, block) => {
      const fault = await findBlobFault(folder, entry, { seen, block });
      if (fault) {
        const ids = rows ? await listWrongFiles(rows, { folder, entry, fault, block }) : [];
        const files = rows ? await listFileLabels(rows, ids) : [];
        report({ name: entry.name, part: 'blob', fault, files });
      }
      tally.blobs += 1;
      tally.blobBytes += entry.sizeBytes;
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
  entry: BlobEntry,
  { seen, block }: { seen: ScratchMap; block: Buffer },
): Promise<Fault | undefined> {
  if (entry.name === null) return 'recorded';
  const key = `${entry.name} ${entry.crc32}`;
  let fault = seen.get(key) as Fault | '' | undefined;
  if (fault === undefined) {
    fault = (await readBlob(folder, entry, block)) ?? '';
    seen.set(key, fault);
  }
  if (fault !== '') return fault;
  return entry.damagedFiles ? 'recorded' : undefined;
}

async function readBlob(
  folder: string,
  { name, sizeBytes, crc32: expected }: BlobEntry,
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

/** Reads a damaged blob again to find out which of its files are wrong. */
async function listWrongFiles(
  rows: Db,
  { folder, entry, fault, block }: { folder: string; entry: BlobEntry; fault: Fault; block: Buffer },
): Promise<string[]> {
  if (fault === 'recorded' && entry.damagedFiles) return entry.damagedFiles.slice(0, MAX_LISTED);
  const verifier = new BlobVerifier(listBlobFiles(rows, entry.storageKey));
  if (entry.name !== null && fault !== 'missing')
    await readCopy(join(folder, 'blobs', entry.name), {
      sizeBytes: entry.sizeBytes,
      block,
      onPiece: (piece) => verifier.add(piece),
    });
  await verifier.end();
  return verifier.wrong.slice(0, MAX_LISTED).map(({ id }) => id);
}

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
