import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ApiError } from '../../client/api-error.ts';
import type { Command, Outcome, Run } from '../command.ts';
import { readDefaults } from '../environment.ts';
import { Api } from '../http/api.ts';
import { CommandError, EXIT, usageError } from '../http/errors.ts';
import { textOf } from '../options.ts';
import { countFiles, toOneLine } from '../progress/words.ts';
import { readSecret } from '../read-input.ts';
import { fetchChecksums, type NamedSum, parseChecksums } from './checksums.ts';
import { openShare } from './open-share.ts';
import { safeNames } from './safe-names.ts';
import { isShare, parseShare } from './share.ts';

const SUMS_FILE = 'SHA256SUMS';

export const verifyCommand: Command = {
  summary: 'Check files here against the SHA-256 sums of their transfer',
  usage: '<link> [folder]   or   <folders…>',
  options: {
    password: { type: 'string', value: 'PASSWORD', help: 'Of the transfer' },
    'password-stdin': { type: 'boolean', help: 'Read the password from standard input instead' },
    'portable-names': { type: 'boolean', help: 'As it was received' },
    server: { type: 'string', value: 'URL', help: 'The server, where only the token of a link is given' },
  },
  notes: [
    'With a link it asks the server for the sums; a folder alone must hold the file SHA256SUMS, which every transfer\noffers. It never counts as a download. Exit code 1 when a file is missing or differs.',
  ],
  run: verify,
};

type Verdict = { name: string; state: 'ok' | 'missing' | 'different' | 'damaged on the server' };

async function verify(run: Run): Promise<Outcome> {
  const [first, ...others] = run.paths;
  if (first === undefined) throw usageError('Verify what? `sendwell verify <link> [folder]`');
  const verdicts: Verdict[] = [];
  if (isShare(first)) {
    if (others.length > 1) throw usageError('One folder at a time with a link.');
    verdicts.push(...(await checkFolder(run, resolve(others[0] ?? '.'), await askForSums(run, first))));
  } else {
    for (const folder of run.paths)
      verdicts.push(...(await checkFolder(run, resolve(folder), await readSums(folder))));
  }
  const wrong = verdicts.filter(({ state }) => state !== 'ok');
  const lines = wrong.map(({ name, state }) => `${state}: ${toOneLine(name)}`);
  const text = [...lines, `${countFiles(verdicts.length - wrong.length)} right, ${wrong.length} not`].join(
    '\n',
  );
  const facts = { checked: verdicts.length, different: wrong };
  return { text, facts, exitCode: wrong.length > 0 ? EXIT.failed : EXIT.ok };
}

async function askForSums(run: Run, link: string): Promise<NamedSum[]> {
  const { values, retries, firstContact, signal } = run;
  const share = parseShare(link, textOf(values, 'server') ?? readDefaults().server);
  const api = new Api(share.server);
  const fetch = () => fetchChecksums(api, share.token, signal);
  try {
    try {
      return await firstContact.run(fetch, signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'checksums_pending') return await retries.run(fetch, signal);
      if (error.code !== 'password_required') throw error;
    }
    const password = values['password-stdin'] ? await readSecret('Password: ') : textOf(values, 'password');
    await openShare({ api, retries, signal }, share, password);
    return await retries.run(fetch, signal);
  } finally {
    api.close();
  }
}

async function readSums(folder: string): Promise<NamedSum[]> {
  const path = join(folder, SUMS_FILE);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(
      EXIT.failed,
      `There is no ${SUMS_FILE} in ${folder}. Give the link of the transfer, too.`,
    );
  });
  return parseChecksums(text);
}

async function checkFolder(run: Run, folder: string, sums: NamedSum[]): Promise<Verdict[]> {
  const isWindows = process.platform === 'win32' || run.values['portable-names'] === true;
  const names = safeNames(
    sums.map(({ name }) => name),
    { isWindows },
  );
  const verdicts: Verdict[] = [];
  let bytes = 0;
  const paths = names.map((name) => join(folder, name));
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  const files = () => ({ files: verdicts.length, totalFiles: names.length });
  run.screen.follow(() => ({
    verb: 'Verifying',
    bytes: Math.min(bytes, totalBytes),
    totalBytes,
    ...files(),
  }));
  for (const [index, { sha256 }] of sums.entries()) {
    const found = await hashFile(paths[index]!, (length) => {
      run.signal.throwIfAborted();
      bytes += length;
    });
    verdicts.push({ name: names[index]!, state: judge(sha256, found) });
  }
  run.screen.stop();
  return verdicts;
}

function judge(expected: string | undefined, found: string | undefined): Verdict['state'] {
  if (expected === undefined) return 'damaged on the server';
  if (found === undefined) return 'missing';
  return found === expected ? 'ok' : 'different';
}

/** undefined for what is no file that can be read. */
async function hashFile(path: string, onRead: (bytes: number) => void): Promise<string | undefined> {
  const hash = createHash('sha256');
  const stream = createReadStream(path, { highWaterMark: 1024 * 1024 });
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      onRead(piece.length);
      hash.update(piece);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
  return hash.digest('hex');
}
