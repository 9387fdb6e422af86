import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { Argument, Option } from 'commander';
import { ApiError } from '../../client/api-error.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { countOf } from '../../contracts/values/format.ts';
import type { Manifest } from '../../encryption/manifest.ts';
import {
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
  readPassword,
  SHARE_SERVER_OPTION,
} from '../command.ts';
import { fetchManifest } from '../encrypted/manifest.ts';
import { readDefaults } from '../environment.ts';
import { Api } from '../http/api.ts';
import { toOneLine } from '../progress/words.ts';
import { safeNames } from './safe-names.ts';
import {
  type FileChecksum,
  fetchChecksums,
  isShare,
  openShare,
  parseChecksums,
  parseShare,
} from './share.ts';

const SUMS_FILE = 'SHA256SUMS';

type VerifyRun = Run<[string[]], PasswordOptions & { portableNames?: true; server?: string }>;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Check received files against the SHA-256 sums of their transfer',
  details: [
    'Pass a link and a folder (by default the current one), or folders that contain the SHA256SUMS file of their ' +
      'transfer. With a link, the sums come from the server or, of encrypted files, from their sender. This never counts as a download.',
    'Exit code 3 means that a file is missing or differs.',
  ],
  arguments: [new Argument('<link-or-folders...>', 'A link and a folder, or one or more folders')],
  options: [
    ...passwordOptions('Password of the transfer'),
    new Option('--portable-names', 'Use it if the files were received with this option'),
    SHARE_SERVER_OPTION,
  ],
  run: verify,
};

type Verdict = { name: string; state: 'ok' | 'missing' | 'different' | 'damaged on the server' };

async function verify(run: VerifyRun): Promise<Outcome> {
  const [[first = '', ...others]] = run.args;
  let verdicts: Verdict[] = [];
  if (isShare(first)) {
    if (others.length > 1) throw usageError('With a link, pass at most one folder.');
    const sums = await fetchSums(run, first);
    verdicts = await verifyFolder(run, resolve(others[0] ?? '.'), sums);
  } else {
    for (const folder of [first, ...others])
      verdicts = verdicts.concat(await verifyFolder(run, resolve(folder), await readSums(folder)));
  }
  const wrong = verdicts.filter(({ state }) => state !== 'ok');
  const lines = wrong.map(({ name, state }) => `${state}: ${toOneLine(name)}`);
  const total = `${countOf(verdicts.length - wrong.length, 'file')} verified, ${wrong.length} wrong or missing`;
  return {
    text: [...lines, total].join('\n'),
    facts: { checked: verdicts.length, different: wrong },
    exitCode: wrong.length > 0 ? EXIT.found : EXIT.ok,
  };
}

async function fetchSums({ options, retries, firstContact, signal }: VerifyRun, link: string) {
  const share = parseShare(link, options.server ?? readDefaults().server);
  const api = new Api(share.server);
  const visit = { api, retries, signal };
  const fetch = () => fetchChecksums(api, share.token, signal);
  try {
    try {
      return await firstContact.run(fetch, signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'checksums_pending') return await retries.run(fetch, signal);
      if (error.code !== 'password_required' && error.code !== 'access_key_required') throw error;
    }
    const { sealed } = await openShare(visit, share, await readPassword(options));
    // The server has only the sums of the ciphertext.
    if (sealed) return toChecksums(await fetchManifest(visit, share.token, sealed.keys.manifest));
    return await retries.run(fetch, signal);
  } finally {
    api.close();
  }
}

function toChecksums({ files }: Manifest): FileChecksum[] {
  return files.map(({ path, sha256, crc32 }) => ({
    name: path,
    sha256: sha256 ?? undefined,
    crc32: crc32 ?? undefined,
  }));
}

async function readSums(folder: string): Promise<FileChecksum[]> {
  const path = join(folder, SUMS_FILE);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(
      EXIT.failed,
      `There is no ${SUMS_FILE} in ${folder}. Pass the link of the transfer before the folder.`,
    );
  });
  return parseChecksums(text);
}

async function verifyFolder(run: VerifyRun, folder: string, sums: FileChecksum[]): Promise<Verdict[]> {
  const names = safeNames(
    sums.map(({ name }) => name),
    { isWindows: process.platform === 'win32' || run.options.portableNames === true },
  );
  const paths = names.map((name) => join(folder, name));
  const totalBytes = (await Promise.all(paths.map(sizeOf))).reduce((sum, size) => sum + size, 0);
  const verdicts: Verdict[] = [];
  let bytes = 0;
  run.screen.follow(() => ({
    verb: 'Verifying',
    bytes: Math.min(bytes, totalBytes),
    totalBytes,
    files: verdicts.length,
    totalFiles: names.length,
  }));
  for (const [index, expected] of sums.entries()) {
    const found = await hashFile(paths[index]!, (length) => {
      run.signal.throwIfAborted();
      bytes += length;
    });
    verdicts.push({ name: names[index]!, state: compare(expected, found) });
  }
  run.screen.stop();
  return verdicts;
}

function compare(expected: FileChecksum, found: FoundSums | undefined): Verdict['state'] {
  if (expected.sha256 === undefined && expected.crc32 === undefined) return 'damaged on the server';
  if (found === undefined) return 'missing';
  const isSame =
    (expected.sha256 ?? found.sha256) === found.sha256 && (expected.crc32 ?? found.crc32) === found.crc32;
  return isSame ? 'ok' : 'different';
}

/** 0 if the file does not exist. */
async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

type FoundSums = { sha256: string; crc32: number };

/** Returns undefined if the file does not exist or cannot be read. */
async function hashFile(path: string, onRead: (bytes: number) => void): Promise<FoundSums | undefined> {
  const hash = createHash('sha256');
  let crc = 0;
  const stream = createReadStream(path, { highWaterMark: 1024 * 1024 });
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      onRead(piece.length);
      hash.update(piece);
      crc = crc32(piece, crc);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
  return { sha256: hash.digest('hex'), crc32: crc };
}
