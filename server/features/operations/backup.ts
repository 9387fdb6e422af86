import { copyFile, mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorContext } from '../../context.ts';
import { openDatabase } from '../../platform/db/open.ts';
import { copyPostgresToFile, copySqliteFile } from '../../platform/db/whole-copy.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { holdRemovals } from '../../platform/storage/removal-hold.ts';
import {
  BlobNoteWriter,
  describeFile,
  MANIFEST,
  type Manifest,
  readBlobNotes,
  readManifest,
  sizeOf,
  syncFolder,
  writeDurably,
} from './backup-folder.ts';
import { type Copied, copyBlobs } from './copy-blobs.ts';
import { listNamedBlobs } from './named-blob-queries.ts';

export type BackupDone = Copied & { manifest: Manifest };

const NOTHING: Copied = { copiedBlobs: 0, copiedBytes: 0, missingBlobs: 0 };

/**
 * Copies a running server into a folder. First removals are held, then the rows are copied as they are at one
 * instant, then the bytes that those rows name: whatever is deleted meanwhile keeps its bytes until they are
 * copied. The backup before stays whole until `backup.json` is replaced in one step.
 */
export async function makeBackup(
  context: OperatorContext,
  folder: string,
  { withFiles }: { withFiles: boolean },
): Promise<BackupDone> {
  const before = await readManifest(folder);
  const [id, startedAt] = [randomId().slice(0, 12), toIso(context.clock.now())];
  await mkdir(join(folder, 'blobs'), { recursive: true, mode: 0o700 });
  const database = join(folder, `database-${id}.db`);
  const hold = await holdRemovals(context);
  try {
    await copyRows(context, database);
    const copied = withFiles
      ? await copyFiles(context, { folder, id, database, before })
      : { ...NOTHING, files: null };
    hold.assertHeld();
    const { files, ...tally } = copied;
    const manifest: Manifest = {
      format: 1,
      id,
      startedAt,
      finishedAt: toIso(context.clock.now()),
      database: await describeFile(database),
      secret: await copySecret(context, join(folder, `secret-${id}`)),
      files,
    };
    await syncFolder(folder);
    await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await removeLeftovers(folder, manifest);
    return { ...tally, manifest };
  } finally {
    await hold.release();
  }
}

async function copyRows({ config, db }: OperatorContext, target: string): Promise<void> {
  if (config.databaseUrl) await copyPostgresToFile(db, target);
  else await copySqliteFile(join(config.dataDir, 'sendwell.db'), target);
}

type CopyOrder = { folder: string; id: string; database: string; before: Manifest | undefined };

async function copyFiles(
  { blobs }: OperatorContext,
  { folder, id, database, before }: CopyOrder,
): Promise<Copied & { files: NonNullable<Manifest['files']> }> {
  const rows = await openDatabase({ file: database });
  const path = join(folder, `files-${id}.ndjson`);
  const notes = new BlobNoteWriter(path);
  try {
    const known = await readKnown(folder, before);
    const copied = await copyBlobs(blobs, listNamedBlobs(rows), {
      folder: join(folder, 'blobs'),
      notes,
      known,
    });
    await notes.end();
    for (const prefix of await readdir(join(folder, 'blobs')))
      await syncFolder(join(folder, 'blobs', prefix));
    const files = { ...(await describeFile(path)), blobs: notes.blobs, blobBytes: notes.blobBytes };
    return { ...copied, files };
  } finally {
    await rows.destroy();
  }
}

/** What need not be copied again: name → CRC-32. */
async function readKnown(folder: string, before: Manifest | undefined): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  if (!before?.files) return known;
  for await (const { name, crc32 } of readBlobNotes(join(folder, before.files.name)))
    if (name !== null) known.set(name, crc32);
  return known;
}

async function copySecret({ config }: OperatorContext, target: string): Promise<Manifest['secret']> {
  const source = join(config.dataDir, 'secret');
  if (config.sessionSecret || (await sizeOf(source)) === undefined) return null;
  await copyFile(source, target);
  return describeFile(target);
}

/** What the backup before had and this one has not, and what a killed one has left. */
async function removeLeftovers(folder: string, { database, secret, files }: Manifest): Promise<void> {
  const kept = new Set([database.name, secret?.name, files?.name]);
  for (const name of await readdir(folder))
    if (/^(database|secret|files)-|\.tmp$/.test(name) && !kept.has(name)) await unlink(join(folder, name));
  if (!files) return;
  const named = new Set<string>();
  for await (const { name } of readBlobNotes(join(folder, files.name))) if (name !== null) named.add(name);
  for (const prefix of await readdir(join(folder, 'blobs')))
    for (const name of await readdir(join(folder, 'blobs', prefix)))
      if (!named.has(`${prefix}/${name}`)) await unlink(join(folder, 'blobs', prefix, name));
}
