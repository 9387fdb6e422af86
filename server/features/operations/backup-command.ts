import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DataDirInUseError, lockDataDir } from '../../platform/db/data-dir-lock.ts';
import { makeBackup } from './backup.ts';
import { type Command, EXIT, onlyArgument, RefusedError } from './command.ts';

export const backup: Command = {
  name: 'backup',
  usage: '<folder> [--without-files] [--json]',
  summary: 'copy a running server into a folder; again into the same one, it copies only what is new',
  details: [
    '',
    'Nothing stops meanwhile, only bytes of what is deleted stay until the backup has ended. The folder holds',
    'the secret and everybody’s files: keep it as safe as the server. --without-files copies database and secret',
    'only, where the bucket has copies of its own.',
  ].join('\n'),
  options: { 'without-files': { type: 'boolean' } },
  async run(call) {
    const folder = resolve(onlyArgument(call));
    const context = await call.open();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unlock = lockBackup(folder);
    try {
      const { manifest, ...tally } = await makeBackup(context, folder, {
        withFiles: call.options['without-files'] !== true,
      });
      const { files } = manifest;
      const kept = files ? `${files.blobs} blobs, ${files.blobBytes} bytes` : 'without files';
      const missing = tally.missingBlobs > 0 ? ` ${tally.missingBlobs} blobs could not be read.` : '';
      call.report(
        { folder, id: manifest.id, ...tally, blobs: files?.blobs, blobBytes: files?.blobBytes },
        `Backup ${manifest.id} is whole: ${kept}; ${tally.copiedBlobs} of them copied now.${missing}`,
      );
      return tally.missingBlobs > 0 ? EXIT.found : EXIT.done;
    } finally {
      unlock();
    }
  },
};

function lockBackup(folder: string): () => void {
  try {
    return lockDataDir(folder);
  } catch (error) {
    if (error instanceof DataDirInUseError) throw new RefusedError(`Somebody else is using ${folder}.`);
    throw error;
  }
}
