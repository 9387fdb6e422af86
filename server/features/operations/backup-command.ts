import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { makeBackup } from './backup.ts';
import { type Damage, lockBackupFolder } from './backup-generations.ts';
import { RETENTION_OPTIONS, readRetention } from './backup-retention.ts';
import { type Command, type CommandCall, EXIT, onlyArgument, UsageError } from './command.ts';

const DEFAULT_VERIFY_EVERY = 30;

export const backup: Command = {
  name: 'backup',
  usage:
    '<folder> [--keep <n>] [--keep-daily <n>] [--keep-weekly <n>] [--keep-monthly <n>] [--verify | --verify-share 1/<n>] [--without-files] [--json]',
  summary: 'copy a running server into a folder as a new generation; only what is new is copied',
  details: [
    '',
    'The server keeps running; only the bytes of deleted transfers stay until the backup has ended. The folder holds',
    'the secret and everybody’s files: keep it as safe as the server.',
    '',
    '--keep <n>           keep the newest n generations (7 if no --keep option is given)',
    '--keep-daily <n>     also keep the newest generation of each of n days; likewise weekly and monthly',
    '--verify             read all copies of earlier generations and the stored bytes again; replace copies that rotted',
    '--verify-share 1/<n> do so for a share that changes with each run (1/30 by default, 0 for none)',
    '--without-files      copy database and secret only, where the bucket has versions or copies of its own',
    '',
    'Exit code 3: the backup is complete, but stored bytes or copies were wrong; the message says which.',
  ].join('\n'),
  options: {
    ...RETENTION_OPTIONS,
    verify: { type: 'boolean' },
    'verify-share': { type: 'string' },
    'without-files': { type: 'boolean' },
  },
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const options = {
      withFiles: call.options['without-files'] !== true,
      verifyEvery: readVerifyEvery(call.options),
      retention: readRetention(call.options),
    };
    const context = await call.open();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unlock = lockBackupFolder(folder);
    try {
      const { manifest, ...done } = await makeBackup(context, folder, options);
      for (const each of manifest.damage) call.say(describeDamage(each));
      for (const warning of done.warnings) call.say(warning);
      reportBackup(call, { folder, manifest, done });
      const isClean = done.newlyDamaged + done.missingBlobs + done.repairedBlobs + done.warnings.length === 0;
      return isClean ? EXIT.done : EXIT.found;
    } finally {
      unlock();
    }
  },
};

type Done = Awaited<ReturnType<typeof makeBackup>>;
type Report = { folder: string; manifest: Done['manifest']; done: Omit<Done, 'manifest'> };

function reportBackup(call: CommandCall, { folder, manifest, done }: Report): void {
  const { name, files, damage } = manifest;
  const { verifiedBlobs, repairedBlobs, newlyDamaged, knownDamaged, removedGenerations } = done;
  const sentences = [
    `Backup ${name} is complete: ${files ? `${files.blobs} blobs, ${formatSize(files.blobBytes)}` : 'without files'}.`,
    files && `Copied ${done.copiedBlobs} blobs (${formatSize(done.copiedBytes)}).`,
    verifiedBlobs > 0 && `Read ${verifiedBlobs} earlier copies again.`,
    repairedBlobs > 0 && `${repairedBlobs} of the copies had rotted and were replaced: check this disk.`,
    newlyDamaged > 0 &&
      `${newlyDamaged} files are missing or wrong in the server's storage: run verify-storage --deep.`,
    knownDamaged > 0 && `${knownDamaged} files are marked as damaged in the database.`,
    removedGenerations.length > 0 && `Removed ${removedGenerations.length} old generations.`,
  ];
  const facts = { folder, name, ...done, blobs: files?.blobs, blobBytes: files?.blobBytes, damage };
  call.report(facts, sentences.filter(Boolean).join(' '));
}

function describeDamage({ path, storageKey, transferTitle, isKept }: Damage): string {
  const file = path === null ? `Blob ${storageKey}` : `“${path}”`;
  const transfer = transferTitle === null ? '' : ` of “${transferTitle}”`;
  const end = isKept ? 'the backup keeps an earlier, right copy' : 'the backup has no right copy of it';
  return `${file}${transfer} is missing or wrong in the storage; ${end}.`;
}

/** 30 for `1/30`. Throws UsageError. */
function readVerifyEvery({ verify, 'verify-share': share }: Record<string, unknown>): number | undefined {
  if (verify === true) return 1;
  if (share === undefined) return DEFAULT_VERIFY_EVERY;
  if (share === '0') return undefined;
  const every = Number(/^1\/([1-9]\d{0,5})$/.exec(String(share))?.[1]);
  if (Number.isNaN(every)) throw new UsageError('--verify-share takes a share such as 1/30, or 0.');
  return every;
}
