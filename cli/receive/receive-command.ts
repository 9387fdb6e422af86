import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DownloadView } from '../../contracts/transfers/downloads.ts';
import { encodeSelection, SELECTION_MAX } from '../../contracts/transfers/selection.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { normaliseFileName } from '../../contracts/values/file-names.ts';
import { fileDownloadPath, selectionDownloadPath, zipDownloadPath } from '../../contracts/values/links.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { Command, Outcome, Run } from '../command.ts';
import { readDefaults } from '../environment.ts';
import { CommandError, EXIT, usageError } from '../exits.ts';
import { Api } from '../http/api.ts';
import { textOf, type Values } from '../options.ts';
import { countFiles, toOneLine } from '../progress/words.ts';
import { askYesNo, readSecret } from '../read-input.ts';
import { listFiles, openShare } from './open-share.ts';
import { type ReceiveCourse, receiveTransfer, stagingFolder } from './receive-transfer.ts';
import {
  type ExpectedFile,
  findReceiving,
  ReceiveJournal,
  type Receiving,
  receivingId,
  type Wish,
} from './receiving.ts';
import { listSpecialNames, safeNames } from './safe-names.ts';
import { describeNames, refuseTaken } from './settle.ts';
import { parseShare, type Share } from './share.ts';

export const receiveCommand: Command = {
  summary: 'Receive a transfer by its link',
  usage: '<link> [options]',
  options: {
    to: { type: 'string', value: 'FOLDER', help: 'Where the files go; the current folder unless told' },
    file: { type: 'string', value: 'NAME', help: 'Only this file of the transfer, by its name or path' },
    zip: { type: 'boolean', help: 'Keep several files as the zip they come in' },
    password: { type: 'string', value: 'PASSWORD', help: 'Of the transfer' },
    'password-stdin': { type: 'boolean', help: 'Read the password from standard input instead' },
    force: { type: 'boolean', help: 'Overwrite files that are there already' },
    'allow-special-names': {
      type: 'boolean',
      help: 'Write hidden files at the root of the folder, and names that Windows reserves, without asking',
    },
    'portable-names': {
      type: 'boolean',
      help: 'Also rename what Windows does not take, as on Windows itself',
    },
    server: { type: 'string', value: 'URL', help: 'The server, where only the token of a link is given' },
  },
  notes: [
    'It counts as one download, however many files there are and however often the line breaks: several files come\nas one zip, which is unpacked as it comes. They stand in the folder when all of them are there and their\nSHA-256 is right. What breaks off goes on with the same command, or with `sendwell resume`.',
  ],
  run: receive,
};

async function receive(run: Run): Promise<Outcome> {
  const { values, paths, firstContact, signal } = run;
  if (paths.length > 1) throw usageError('One link at a time.');
  const share = parseShare(paths[0], textOf(values, 'server') ?? readDefaults().server);
  const to = resolve(textOf(values, 'to') ?? '.');
  const what = [
    textOf(values, 'file') ?? '',
    String(values.zip === true),
    String(values['portable-names'] === true),
  ];
  const id = receivingId(share.server, share.token, to, ...what);
  const begun = await findReceiving(id);
  if (begun && (await isFolder(stagingFolder(begun)))) {
    run.screen.say('Going on where it stopped.');
    return await resumeReceiving(run, begun);
  }
  const api = new Api(share.server);
  try {
    const visit = { api, retries: firstContact, signal };
    const opened = await openShare(visit, share, await readPassword(values));
    const view = { ...opened, files: await listFiles(visit, share, opened) };
    const wish = { ...decideWish(share, view, values), id, to, startedAt: Date.now() };
    await allowSpecialNames(run, wish);
    await prepareFolder(wish, values.force === true);
    return await carryOn(run, api, await ReceiveJournal.begin(wish, api.cookies));
  } finally {
    api.close();
  }
}

/** Goes on with what an earlier run began; a password opens it again. */
export async function resumeReceiving(run: Run, receiving: Receiving): Promise<Outcome> {
  const { values, retries, signal } = run;
  const api = new Api(receiving.server, { cookies: { ...receiving.cookies } });
  try {
    const password = await readPassword(values);
    const journal = await ReceiveJournal.reopen(receiving);
    return await carryOn(run, api, journal, async () => {
      if (password !== undefined) {
        const share = { server: receiving.server, token: receiving.token, recipientToken: undefined };
        await openShare({ api, retries, signal }, share, password);
      }
    });
  } finally {
    api.close();
  }
}

async function carryOn(
  { screen, retries, signal, values }: Run,
  api: Api,
  journal: ReceiveJournal,
  prepare = async () => {},
): Promise<Outcome> {
  const course: ReceiveCourse = { api, journal, screen, retries, signal, isForced: values.force === true };
  const started = performance.now();
  try {
    await prepare();
    const received = await receiveTransfer(course);
    const seconds = Math.round(performance.now() - started) / 1_000;
    const { files, bytes, folder, verified } = received;
    screen.say(`Received ${countFiles(files.length)}, ${formatSize(bytes)}, ${HOW_SURE[verified]}.`);
    return { text: folder, facts: { ...received, seconds } };
  } catch (error) {
    const { id, etag } = journal.receiving;
    await journal.close();
    // Nothing was counted and nothing came: there is nothing to go on with.
    if (etag === undefined && !signal.aborted) await journal.remove();
    else screen.say(`Go on with: sendwell resume ${id}`);
    if (error instanceof CommandError)
      throw new CommandError(error.exitCode, error.message, { ...error.facts, resume: id });
    throw error;
  }
}

const HOW_SURE = {
  sha256: 'SHA-256 right',
  crc32: 'CRC-32 right; the server has not computed the SHA-256 yet',
  length: 'length right; the server has not computed the SHA-256 yet',
};

async function readPassword(values: Values): Promise<string | undefined> {
  return values['password-stdin'] ? await readSecret('Password: ') : textOf(values, 'password');
}

type OpenView = DownloadView & {
  /** All of them. */
  files: TransferFile[];
};

type Decided = Omit<Wish, 'id' | 'to' | 'startedAt'>;

/** One request for bytes, whatever is wanted: a request is a download, and so is a zip. */
function decideWish({ server, token, recipientToken }: Share, view: OpenView, values: Values): Decided {
  const files = listExpected(view.files, values);
  const wanted = chooseFiles(view.files, files, textOf(values, 'file'));
  const totalBytes = wanted.reduce((sum, { size }) => sum + size!, 0);
  const common = { server, token, totalBytes };
  const [only] = wanted;
  if (wanted.length === 1) {
    const path = fileDownloadPath(token, view.files[only!.place!]!.id, recipientToken);
    return { ...common, kind: 'file', path, files: wanted };
  }
  const path =
    wanted.length === files.length
      ? zipDownloadPath(token, recipientToken)
      : selectionPath(
          token,
          wanted.map(({ place }) => view.files[place!]!.position),
          recipientToken,
        );
  if (!values.zip) return { ...common, kind: 'zip', path, files: wanted };
  const name = `${normaliseFileName(view.title || 'transfer')}.zip`;
  const zip: ExpectedFile = { name, place: undefined, size: undefined, sha256: null };
  return { ...common, totalBytes: view.zipSize ?? totalBytes, kind: 'file', path, files: [zip] };
}

function selectionPath(token: string, positions: number[], recipientToken: string | undefined): string {
  const selection = encodeSelection(positions);
  if (selection.length > SELECTION_MAX)
    throw new CommandError(
      EXIT.refused,
      'This selection is too large. Receive the whole transfer, or one file.',
    );
  return selectionDownloadPath(token, selection, recipientToken);
}

function listExpected(files: readonly TransferFile[], values: Values): ExpectedFile[] {
  const isWindows = process.platform === 'win32' || values['portable-names'] === true;
  const names = safeNames(
    files.map(({ relativePath }) => relativePath),
    { isWindows },
  );
  return files.map(({ size, sha256 }, place) => ({ name: names[place]!, place, size, sha256 }));
}

/** By the whole path, else by the name, else all that lie in a folder of that path. */
function chooseFiles(
  files: readonly TransferFile[],
  all: ExpectedFile[],
  wish: string | undefined,
): ExpectedFile[] {
  if (all.length === 0) throw new CommandError(EXIT.failed, 'There are no files in this transfer.');
  if (wish === undefined) return all;
  const path = wish.replace(/\/+$/, '');
  const tests: ((file: TransferFile) => boolean)[] = [
    ({ relativePath }) => relativePath === path,
    ({ originalName }) => originalName === path,
    ({ relativePath }) => relativePath.startsWith(`${path}/`),
  ];
  for (const isWanted of tests) {
    const found = all.filter(({ place }) => isWanted(files[place!]!));
    if (found.length > 0) return found;
  }
  throw new CommandError(EXIT.failed, `There is no “${toOneLine(wish)}” in this transfer.`);
}

/**
 * Asks at a terminal whether hidden files at the root of the folder and reserved names are to be written. Throws
 * CommandError when the answer is no, or when nobody can be asked.
 */
async function allowSpecialNames({ values, screen }: Run, { to, files }: Wish): Promise<void> {
  if (values['allow-special-names']) return;
  const special = listSpecialNames(files.map(({ name }) => name));
  if (special.length === 0) return;
  const what = `This transfer has names that are hidden or reserved: ${describeNames(special)}.`;
  const isMachine = values.json === true || values.progress === 'json';
  if (!isMachine && process.stdin.isTTY && process.stderr.isTTY) {
    screen.say(what);
    if (await askYesNo(`Write them to ${to}?`)) return;
    throw new CommandError(EXIT.failed, 'Nothing was received.');
  }
  throw new CommandError(EXIT.failed, `${what} Nothing was received; --allow-special-names allows them.`, {
    specialNames: special,
  });
}

async function prepareFolder(wish: Wish, isForced: boolean): Promise<void> {
  await mkdir(wish.to, { recursive: true });
  if (!isForced)
    await refuseTaken(
      wish.to,
      wish.files.map(({ name }) => name),
    );
  await mkdir(stagingFolder(wish), { recursive: true });
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
