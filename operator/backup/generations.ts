import { createHash } from 'node:crypto';
import { access, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { toIso } from '../../server/platform/lib/clock.ts';
import { DataDirInUseError, lockDataDir } from '../../server/platform/lib/data-dir/data-dir-lock.ts';
import { FileEntry, writeDurably } from './folder.ts';

/**
 * The generations in a backup folder share one `blobs/`:
 *   backup-<name>.json     a complete generation: written last, atomically; names the next three
 *   database-<name>.db     all rows as SQLite, whichever engine they came from
 *   files-<name>.ndjson    a line for each blob of this generation
 *   secret-<name>          signs cookies and links
 *   verified-<name>.json   the result of the last verification, if there was one
 *   blobs/<2>/<key>.<…>    copied once for all generations that name it
 *   backup.json            the format of the folder; in the first format, the only generation
 */
const MARKER = 'backup.json';
const MANIFEST_FILE = /^backup-([A-Za-z0-9_-]+)\.json$/;

/** Maximum of damaged files in a manifest; the list of blobs has all of them. */
export const MAX_LISTED = 1000;

const Damage = z.object({
  storageKey: z.string(),
  /** null: a preview, a background or an ad. */
  fileId: z.string().nullable(),
  path: z.string().nullable(),
  transferTitle: z.string().nullable(),
  /** Whether the backup has the right bytes from an earlier copy. */
  isKept: z.boolean(),
});
export type Damage = z.infer<typeof Damage>;

const Files = FileEntry.extend({ blobs: z.int(), blobBytes: z.int() });

const Manifest = z.object({
  format: z.literal(2),
  name: z.string().regex(/^[A-Za-z0-9_-]+$/),
  /** Increases by one with each generation, independent of the clock. */
  sequence: z.int(),
  startedAt: z.string(),
  finishedAt: z.string(),
  database: FileEntry,
  /** null: the secret is in SESSION_SECRET. */
  secret: FileEntry.nullable(),
  /** null: without files. */
  files: Files.nullable(),
  /** At most MAX_LISTED files whose stored bytes were missing or wrong. */
  damage: z.array(Damage),
});
export type Manifest = z.infer<typeof Manifest>;

const FirstFormat = z.object({
  format: z.literal(1),
  id: z.string().regex(/^[A-Za-z0-9_-]+$/),
  startedAt: z.string(),
  finishedAt: z.string(),
  database: FileEntry,
  secret: FileEntry.nullable(),
  files: Files.nullable(),
});

const Verification = z.object({ verifiedAt: z.string(), isGood: z.boolean(), problems: z.int() });
export type Verification = z.infer<typeof Verification>;

export type Generations = {
  /** Oldest first. */
  complete: Manifest[];
  /** File names of unreadable manifests. The blobs that they name are unknown. */
  unreadable: string[];
};

export async function listGenerations(folder: string): Promise<Generations> {
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: Generations = { complete: [], unreadable: [] };
  for (const name of names.sort()) {
    if (!MANIFEST_FILE.test(name)) continue;
    const manifest = parseManifest(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (manifest && name === manifestFileOf(manifest.name)) found.complete.push(manifest);
    else found.unreadable.push(name);
  }
  if (names.includes(MARKER)) {
    const first = await readFirstFormat(folder);
    if (first && !found.complete.some(({ name }) => name === first.name)) found.complete.push(first);
  }
  found.complete.sort((a, b) => a.sequence - b.sequence || (a.startedAt < b.startedAt ? -1 : 1));
  return found;
}

/** Returns the newest generation by default. Throws CommandError with the available names if there is none. */
export async function getGeneration(folder: string, name: string | undefined): Promise<Manifest> {
  const { complete, unreadable } = await listGenerations(folder);
  const manifest = name === undefined ? complete.at(-1) : complete.find((each) => each.name === name);
  const damaged = unreadable.length > 0 ? ` Damaged manifests: ${unreadable.join(', ')}.` : '';
  if (complete.length === 0)
    throw new CommandError(EXIT.failed, `There is no complete backup in ${folder}.${damaged}`);
  if (!manifest)
    throw new CommandError(
      EXIT.failed,
      `There is no generation ${name} in ${folder}. Available: ${namesOf(complete)}.`,
    );
  if (name !== undefined || unreadable.length === 0) return manifest;
  throw new CommandError(
    EXIT.failed,
    `The newest backup may be unreadable.${damaged} Choose another with --generation: ${namesOf(complete)}.`,
  );
}

const namesOf = (manifests: Manifest[]) => manifests.map(({ name }) => name).join(', ');

export function manifestFileOf(name: string): string {
  return `backup-${name}.json`;
}

/** Completes the generation atomically. Everything that it names must be synced to disk before. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const content = { ...manifest, digest: digestOf(manifest) };
  await writeDurably(join(folder, manifestFileOf(manifest.name)), `${JSON.stringify(content, null, 2)}\n`);
}

/** Returns undefined if the text is malformed or does not match its digest. */
function parseManifest(text: string): Manifest | undefined {
  try {
    const { digest, ...content } = JSON.parse(text) as Record<string, unknown>;
    return digest === digestOf(content) ? Manifest.parse(content) : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Throws CommandError if `backup.json` has an unknown format. */
async function readFirstFormat(folder: string): Promise<Manifest | undefined> {
  try {
    const content = JSON.parse(await readFile(join(folder, MARKER), 'utf8')) as { format?: unknown };
    if (content.format === 2) return undefined;
    const { id, ...rest } = FirstFormat.parse(content);
    return { ...rest, format: 2, name: id, sequence: 0, damage: [] };
  } catch {
    throw new CommandError(
      EXIT.failed,
      `${join(folder, MARKER)} is not a backup that this version can read.`,
    );
  }
}

/**
 * A backup of the first format becomes the first generation. The new marker keeps earlier versions of Sendwell from
 * deleting files in the folder: they refuse its format.
 */
export async function adoptFolder(folder: string): Promise<void> {
  const names = await readdir(folder);
  const first = names.includes(MARKER) ? await readFirstFormat(folder) : undefined;
  if (first) await writeManifest(folder, first);
  if (!first && names.includes(MARKER)) return;
  const note = 'Each backup-*.json in this folder is a generation. List them with: list-backups.';
  await writeDurably(join(folder, MARKER), `${JSON.stringify({ format: 2, note }, null, 2)}\n`);
}

/** UTC time such as 20261122-030000, with a number if that name is taken. */
export async function findFreeName(folder: string, now: number): Promise<string> {
  const time = toIso(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const names = await readdir(folder);
  const isTaken = (name: string) =>
    names.some((each) => /^(backup|database|files|secret)-/.test(each) && each.includes(`-${name}.`));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? time : `${time}-${count}`;
    if (!isTaken(name)) return name;
  }
}

export async function findVerification(folder: string, name: string): Promise<Verification | undefined> {
  try {
    return Verification.parse(JSON.parse(await readFile(join(folder, verificationFileOf(name)), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function writeVerification(
  folder: string,
  name: string,
  verification: Verification,
): Promise<void> {
  await writeDurably(join(folder, verificationFileOf(name)), `${JSON.stringify(verification)}\n`);
}

export function verificationFileOf(name: string): string {
  return `verified-${name}.json`;
}

/** Throws CommandError while another command uses the folder. */
export function lockBackupFolder(folder: string): () => void {
  try {
    return lockDataDir(folder);
  } catch (error) {
    if (error instanceof DataDirInUseError)
      throw new CommandError(
        EXIT.failed,
        `Another command is using ${folder}. Try again when it has finished.`,
      );
    throw error;
  }
}

/** Needs no lock if the folder is read-only. */
export async function lockForReading(folder: string): Promise<() => void> {
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? lockBackupFolder(folder) : () => undefined;
}
