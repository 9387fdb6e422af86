import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { EXIT } from '../../command-line/exit-codes.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { Command, CommandCall } from '../command.ts';
import { createBackup } from './backup.ts';
import { type Damage, findVerification, listGenerations, lockBackupFolder } from './generations.ts';
import { RETENTION_OPTIONS, type RetentionOptions, readRetention } from './retention.ts';

type BackupCommandOptions = RetentionOptions & {
  verify?: true;
  verifyShare: number;
  withoutFiles?: true;
};

export const backup: Command = {
  name: 'backup',
  summary: 'Back up a server into a folder as a new generation; copies only new files',
  details: [
    'The server keeps running. Until the backup has finished, the bytes of deleted transfers stay on its disk.',
    'The folder contains the secret and the files of all users. Protect it like the server.',
    'Exit code 3 means that the backup is complete, but stored bytes or earlier copies were wrong. The output lists ' +
      'them.',
  ],
  arguments: [new Argument('<folder>', 'The backup folder; created if it does not exist')],
  options: [
    ...RETENTION_OPTIONS,
    new Option(
      '--verify',
      'Read all copies of earlier generations and the stored bytes again, and replace damaged copies',
    ),
    new Option(
      '--verify-share <1/n>',
      'Verify only a share of the copies, a different one in each run; 0 for none',
    )
      .argParser(parseShare)
      .default(30, '1/30'),
    new Option(
      '--without-files',
      'Copy only the database and the secret, if your bucket is versioned or replicated',
    ),
  ],
  async run(call: CommandCall<[string], BackupCommandOptions>) {
    const folder = resolve(call.args[0]);
    const { verify, verifyShare, withoutFiles } = call.options;
    const verifyEvery = verify ? 1 : verifyShare || undefined;
    const retention = readRetention(call.options);
    const context = await call.open();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unlock = lockBackupFolder(folder);
    try {
      const { manifest, ...done } = await createBackup(context, folder, {
        withFiles: !withoutFiles,
        verifyEvery,
        retention,
      });
      for (const each of manifest.damage) call.say(describeDamage(each));
      for (const warning of done.warnings) call.say(warning);
      reportBackup(call, { folder, manifest, done });
      const isClean = done.newlyDamaged + done.missingBlobs + done.repairedBlobs + done.warnings.length === 0;
      return isClean ? EXIT.ok : EXIT.found;
    } finally {
      unlock();
    }
  },
};

type Done = Awaited<ReturnType<typeof createBackup>>;
type Report = { folder: string; manifest: Done['manifest']; done: Omit<Done, 'manifest'> };

function reportBackup(call: Pick<CommandCall, 'report'>, { folder, manifest, done }: Report): void {
  const { name, files, damage } = manifest;
  const { verifiedBlobs, repairedBlobs, newlyDamaged, knownDamaged, removedGenerations } = done;
  const sentences = [
    `Backup ${name} is complete: ${files ? `${files.blobs} blobs, ${formatSize(files.blobBytes)}` : 'without files'}.`,
    files && `Copied ${done.copiedBlobs} blobs (${formatSize(done.copiedBytes)}).`,
    verifiedBlobs > 0 && `Verified ${verifiedBlobs} earlier copies.`,
    repairedBlobs > 0 && `Replaced ${repairedBlobs} missing or damaged copies. Check the disk of the backup.`,
    newlyDamaged > 0 &&
      `${newlyDamaged} files are missing or wrong in the server's storage. Run verify-storage --deep.`,
    knownDamaged > 0 && `${knownDamaged} files are marked as damaged in the database.`,
    removedGenerations.length > 0 && `Removed ${removedGenerations.length} old generations.`,
  ];
  const facts = { folder, name, ...done, blobs: files?.blobs, blobBytes: files?.blobBytes, damage };
  call.report(facts, sentences.filter(Boolean).join(' '));
}

function describeDamage({ path, storageKey, transferTitle, isKept }: Damage): string {
  const file = path === null ? `Blob ${storageKey}` : `“${path}”`;
  const transfer = transferTitle === null ? '' : ` of “${transferTitle}”`;
  const copy = isKept ? 'the backup has a good earlier copy' : 'the backup has no good copy';
  return `${file}${transfer} is missing or wrong in the storage; ${copy}.`;
}

function parseShare(text: string): number {
  if (text === '0') return 0;
  const every = Number(/^1\/([1-9]\d{0,5})$/.exec(text)?.[1]);
  if (Number.isNaN(every)) throw new InvalidArgumentError('It must be a share such as 1/30, or 0.');
  return every;
}

export const listBackups: Command = {
  name: 'list-backups',
  summary: 'List the generations of a backup with their time, size and last verification',
  arguments: [new Argument('<folder>', 'The backup folder')],
  async run(call: CommandCall<[string]>) {
    const folder = resolve(call.args[0]);
    const { complete, unreadable } = await listGenerations(folder);
    const generations = await Promise.all(
      complete.map(async ({ name, startedAt, files, database, damage }) => {
        const verified = await findVerification(folder, name);
        return {
          name,
          startedAt,
          blobs: files?.blobs ?? null,
          blobBytes: files?.blobBytes ?? null,
          databaseBytes: database.sizeBytes,
          damagedFiles: damage.filter(({ isKept }) => !isKept).length,
          verifiedAt: verified?.verifiedAt ?? null,
          isGood: verified?.isGood ?? null,
        };
      }),
    );
    for (const file of unreadable) call.say(`${file} is damaged. That generation cannot be restored.`);
    call.report(
      { folder, generations, unreadable },
      generations.length === 0
        ? `There is no complete backup in ${folder}.`
        : generations.map(describeGeneration).join('\n'),
    );
    return unreadable.length > 0 ? EXIT.found : EXIT.ok;
  },
};

type Generation = {
  name: string;
  startedAt: string;
  blobs: number | null;
  blobBytes: number | null;
  databaseBytes: number;
  damagedFiles: number;
  verifiedAt: string | null;
  isGood: boolean | null;
};

function describeGeneration(generation: Generation): string {
  const { name, startedAt, blobs, blobBytes, databaseBytes, damagedFiles, verifiedAt, isGood } = generation;
  return [
    name,
    startedAt,
    blobBytes === null ? 'without files' : `${blobs} blobs, ${formatSize(blobBytes)}`,
    `database ${formatSize(databaseBytes)}`,
    ...(damagedFiles > 0 ? [`${damagedFiles} damaged files`] : []),
    verifiedAt === null ? 'not verified' : `${isGood ? 'verified' : 'found damaged'} ${verifiedAt}`,
  ].join('  ');
}
