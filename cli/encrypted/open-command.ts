import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { countOf } from '../../contracts/values/format.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { Manifest } from '../../encryption/manifest.ts';
import { type Command, type Outcome, passwordOptions, type Run, SHARE_SERVER_OPTION } from '../command.ts';
import { readDefaults } from '../environment.ts';
import { confirmSpecialNames, DESTINATION_OPTIONS, type DestinationOptions } from '../receive/destination.ts';
import { safeNames } from '../receive/safe-names.ts';
import { parseShare, type Share } from '../receive/share.ts';
import { describeNames, moveIntoPlace, requireUnused } from '../receive/staging/place-files.ts';
import { missingKeyError } from './link-keys.ts';
import {
  deriveKeysFor,
  getManifestFor,
  MANIFEST_OPTIONS,
  type ManifestOptions,
  type OpenedManifest,
} from './manifest-source.ts';
import { openFile, pairByContent, pairByName, type SealedPair } from './open-files.ts';
import { listSealedSources } from './sealed-sources.ts';

type OpenOptions = ManifestOptions & DestinationOptions & { link?: string; server?: string };
type OpenRun = Run<[string | undefined], OpenOptions>;

export const openCommand: Command = {
  name: 'open',
  summary: 'Decrypt what another program downloaded',
  details: [
    'Pass the zip of an encrypted transfer, a folder with its unpacked files, or one of them. The files appear in the ' +
      'destination folder when all of them are decrypted and verified. Nothing is sent to the server but the access ' +
      'key, and this never counts as a download.',
    'Exit code 3 means that files of the transfer are not in the zip or folder.',
    'Without a network, pass what you fetched from /api/download/TOKEN (--view) and /api/download/TOKEN/manifest ' +
      '(--manifest). Without a path, prints the access key, which curl must send to /api/download/TOKEN/verify before ' +
      'it can download.',
  ],
  arguments: [new Argument('[path]', 'Zip, folder or file')],
  options: [
    new Option('--link <link>', 'The whole link of the transfer, in quotes'),
    ...passwordOptions('Password of the transfer'),
    ...DESTINATION_OPTIONS,
    ...MANIFEST_OPTIONS,
    SHARE_SERVER_OPTION,
  ],
  run: open,
};

async function open(run: OpenRun): Promise<Outcome> {
  const { options, screen, args } = run;
  if (options.link === undefined) throw usageError('--link is missing: the key is in the link.');
  const share = parseShare(options.link, options.server ?? readDefaults().server);
  if (!share.linkSecret) throw missingKeyError();
  const [path] = args;
  if (path === undefined) return await printAccessKey(run, share);
  const { kind, sources } = await listSealedSources(path);
  const { manifest, keys } = await getManifestFor(run, share);
  const byName = pairByName(sources, manifest.files);
  const isRenamed = kind === 'file' && byName.length === 0;
  const pairs = isRenamed ? await pairByContent(sources[0]!, manifest.files, keys.content) : byName;
  if (pairs.length === 0)
    throw new CommandError(EXIT.failed, `There are no files of this transfer in ${path}.`);
  const opened = await openAll(run, pairs, { manifest, keys });
  const missing = kind === 'file' ? [] : listMissing(manifest, pairs);
  if (missing.length > 0) screen.say(`Not in ${path}: ${describeNames(missing)}.`);
  screen.say(`Opened ${countOf(opened.files.length, 'file')}, ${formatSize(opened.bytes)}.`);
  return {
    text: opened.folder,
    facts: { ...opened, ...(missing.length > 0 && { missing }) },
    exitCode: missing.length > 0 ? EXIT.found : EXIT.ok,
  };
}

/** For curl, which must show it before it can download. */
async function printAccessKey(run: OpenRun, share: Share): Promise<Outcome> {
  const { accessKey } = await deriveKeysFor(run, share);
  return { text: accessKey, facts: { accessKey } };
}

async function openAll(run: OpenRun, pairs: SealedPair[], { manifest, keys }: OpenedManifest) {
  const { options, screen, signal } = run;
  const to = resolve(options.to ?? '.');
  const names = nameFiles(manifest, options);
  const files = pairs.map(({ entry }) => names.get(entry.fileId)!);
  await confirmSpecialNames(run, to, files);
  await mkdir(to, { recursive: true });
  const isForced = options.force === true;
  if (!isForced) await requireUnused(to, files);
  const folder = join(to, `sendwell-${randomUUID().slice(0, 8)}.part`);
  const totalBytes = pairs.reduce((sum, { entry }) => sum + entry.size, 0);
  let [bytes, whole] = [0, 0];
  screen.follow(() => ({ verb: 'Opening', bytes, totalBytes, files: whole, totalFiles: files.length }));
  try {
    await mkdir(folder);
    for (const [index, pair] of pairs.entries()) {
      const onOpened = (length: number) => {
        signal.throwIfAborted();
        bytes += length;
      };
      await openFile(pair, { folder, name: files[index]!, key: keys.content, onOpened });
      whole += 1;
    }
    await moveIntoPlace({ from: folder, to, isForced }, files);
  } finally {
    screen.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return { folder: to, files, bytes: totalBytes };
}

/** The names of all files, so that a file has the same name whichever others are opened with it. */
function nameFiles({ files }: Manifest, { portableNames }: OpenOptions): Map<string, string> {
  const names = safeNames(
    files.map(({ path }) => path),
    { isWindows: process.platform === 'win32' || portableNames === true },
  );
  return new Map(files.map(({ fileId }, index) => [fileId, names[index]!]));
}

function listMissing({ files }: Manifest, pairs: SealedPair[]): string[] {
  const found = new Set(pairs.map(({ entry }) => entry.fileId));
  return files.filter(({ fileId }) => !found.has(fileId)).map(({ path }) => path);
}
