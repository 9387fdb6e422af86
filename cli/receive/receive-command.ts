import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { ask, isYes } from '../../command-line/prompts.ts';
import type { DownloadView } from '../../contracts/transfers/downloads.ts';
import { nameZip } from '../../contracts/transfers/names.ts';
import { encodeSelection, SELECTION_MAX } from '../../contracts/transfers/selection.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { countOf } from '../../contracts/values/format.ts';
import { fileDownloadPath, selectionDownloadPath, zipDownloadPath } from '../../contracts/values/links.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import {
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
  readPassword,
  SHARE_SERVER_OPTION,
} from '../command.ts';
import { readDefaults } from '../environment.ts';
import { Api } from '../http/api.ts';
import { toOneLine } from '../progress/words.ts';
import {
  type ExpectedFile,
  findUnfinishedReceive,
  ReceiveJournal,
  type ReceivePlan,
  receiveId,
  type UnfinishedReceive,
} from './journal.ts';
import { receiveTransfer, stagingFolder } from './receive-transfer.ts';
import { listSpecialNames, safeNames } from './safe-names.ts';
import { listFiles, openShare, parseShare, type Share } from './share.ts';
import { describeNames, requireUnused } from './staged-files.ts';

export const FORCE_OPTION = new Option('--force', 'Overwrite existing files');

type ReceiveOptions = PasswordOptions & {
  to?: string;
  file?: string;
  zip?: true;
  force?: true;
  allowSpecialNames?: true;
  portableNames?: true;
  server?: string;
};

export const receiveCommand: Command = {
  name: 'receive',
  summary: 'Receive a transfer by its link',
  details: [
    'This counts as one download, regardless of the number of files and interruptions. Several files arrive as one ' +
      'zip, which is unpacked on the fly. The files appear in the folder when all of them have arrived and their ' +
      'SHA-256 is verified.',
    'If it is interrupted, run the same command again, or `sendwell resume`.',
  ],
  arguments: [new Argument('<link>', 'The link of the transfer')],
  options: [
    new Option('--to <folder>', 'Destination folder; by default the current one'),
    new Option('--file <name>', 'Receive only this file or folder of the transfer, by its name or path'),
    new Option('--zip', 'Save several files as one zip'),
    ...passwordOptions('Password of the transfer'),
    FORCE_OPTION,
    new Option(
      '--allow-special-names',
      'Write hidden files at the root of the folder, and names that Windows reserves, without asking',
    ),
    new Option('--portable-names', 'Replace characters and names that Windows does not allow, as on Windows'),
    SHARE_SERVER_OPTION,
  ],
  run: receive,
};

async function receive(run: Run<[string], ReceiveOptions>): Promise<Outcome> {
  const { args, options, firstContact, signal } = run;
  const share = parseShare(args[0], options.server ?? readDefaults().server);
  const to = resolve(options.to ?? '.');
  const selection = [
    options.file ?? '',
    String(options.zip === true),
    String(options.portableNames === true),
  ];
  const id = receiveId(share.server, share.token, to, ...selection);
  const unfinished = await findUnfinishedReceive(id);
  if (unfinished && (await isFolder(stagingFolder(unfinished)))) {
    run.screen.say('Continuing where it stopped.');
    return await resumeReceive(run, unfinished);
  }
  const api = new Api(share.server);
  try {
    const visit = { api, retries: firstContact, signal };
    const opened = await openShare(visit, share, await readPassword(options));
    const view = { ...opened, files: await listFiles(visit, share, opened) };
    const plan = { ...planReceive(share, view, options), id, to, startedAt: Date.now() };
    await confirmSpecialNames(run, plan);
    await prepareFolder(plan, options.force === true);
    return await finishReceive(run, api, await ReceiveJournal.create(plan, api.cookies));
  } finally {
    api.close();
  }
}

type ResumeOptions = PasswordOptions & { force?: true };

/** A password unlocks the transfer again. */
export async function resumeReceive(
  run: Run<unknown[], ResumeOptions>,
  unfinished: UnfinishedReceive,
): Promise<Outcome> {
  const { options, retries, signal } = run;
  const { server, token, cookies } = unfinished;
  const api = new Api(server, { cookies: { ...cookies } });
  try {
    const password = await readPassword(options);
    const journal = await ReceiveJournal.reopen(unfinished);
    return await finishReceive(run, api, journal, async () => {
      if (password === undefined) return;
      await openShare({ api, retries, signal }, { server, token, recipientToken: undefined }, password);
    });
  } finally {
    api.close();
  }
}

/** Prints the command to resume with if it fails. */
async function finishReceive(
  { screen, retries, signal, options }: Run<unknown[], ResumeOptions>,
  api: Api,
  journal: ReceiveJournal,
  prepare = async () => {},
): Promise<Outcome> {
  const context = { api, journal, screen, retries, signal, isForced: options.force === true };
  const startedAt = performance.now();
  try {
    await prepare();
    const received = await receiveTransfer(context);
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    const { files, bytes, folder, verified } = received;
    screen.say(`Received ${countOf(files.length, 'file')}, ${formatSize(bytes)}. ${VERIFIED_BY[verified]}.`);
    return { text: folder, facts: { ...received, seconds } };
  } catch (error) {
    const { id, etag } = journal.state;
    await journal.close();
    // Without a response nothing has arrived and no download was counted.
    if (etag === undefined && !signal.aborted) await journal.remove();
    else screen.say(`Continue with: sendwell resume ${id}`);
    if (error instanceof CommandError)
      throw new CommandError(error.exitCode, error.message, { ...error.facts, resume: id });
    throw error;
  }
}

const VERIFIED_BY = {
  sha256: 'Verified by SHA-256',
  crc32: 'Verified by CRC-32; the server has not computed the SHA-256 yet',
  length: 'Verified by length; the server has not computed the SHA-256 yet',
};

/** With the complete list of files. */
type CompleteView = DownloadView & { files: TransferFile[] };

/**
 * Plans a single request for a file, a zip of some files, or the zip of all, because each request counts as a
 * download.
 */
function planReceive(
  { server, token, recipientToken }: Share,
  view: CompleteView,
  options: ReceiveOptions,
): Omit<ReceivePlan, 'id' | 'to' | 'startedAt'> {
  const files = listExpected(view.files, options);
  const wanted = chooseFiles(view.files, files, options.file);
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
  if (!options.zip) return { ...common, kind: 'zip', path, files: wanted };
  const name = nameZip(view);
  const zip: ExpectedFile = { name, place: undefined, size: undefined, sha256: null };
  return { ...common, totalBytes: view.zipSize ?? totalBytes, kind: 'file', path, files: [zip] };
}

function selectionPath(token: string, positions: number[], recipientToken: string | undefined): string {
  const selection = encodeSelection(positions);
  if (selection.length > SELECTION_MAX)
    throw new CommandError(
      EXIT.refused,
      'This selection is too large. Receive the whole transfer, or a single file.',
    );
  return selectionDownloadPath(token, selection, recipientToken);
}

function listExpected(files: readonly TransferFile[], { portableNames }: ReceiveOptions): ExpectedFile[] {
  const names = safeNames(
    files.map(({ relativePath }) => relativePath),
    { isWindows: process.platform === 'win32' || portableNames === true },
  );
  return files.map(({ size, sha256 }, place) => ({ name: names[place]!, place, size, sha256 }));
}

/** Matches the path, else the name, else all files in the folder of that path. */
function chooseFiles(
  files: readonly TransferFile[],
  all: ExpectedFile[],
  nameOrPath: string | undefined,
): ExpectedFile[] {
  if (all.length === 0) throw new CommandError(EXIT.failed, 'This transfer has no files.');
  if (nameOrPath === undefined) return all;
  const path = nameOrPath.replace(/\/+$/, '');
  const tests: ((file: TransferFile) => boolean)[] = [
    ({ relativePath }) => relativePath === path,
    ({ originalName }) => originalName === path,
    ({ relativePath }) => relativePath.startsWith(`${path}/`),
  ];
  for (const isWanted of tests) {
    const found = all.filter(({ place }) => isWanted(files[place!]!));
    if (found.length > 0) return found;
  }
  throw new CommandError(EXIT.failed, `There is no “${toOneLine(nameOrPath)}” in this transfer.`);
}

/**
 * Asks before writing hidden files at the root of the folder, or reserved names. Throws CommandError if the answer is
 * no or there is no terminal.
 */
async function confirmSpecialNames(
  { options, screen }: Run<unknown[], ReceiveOptions>,
  { to, files }: ReceivePlan,
): Promise<void> {
  if (options.allowSpecialNames) return;
  const specialNames = listSpecialNames(files.map(({ name }) => name));
  if (specialNames.length === 0) return;
  const warning = `This transfer contains hidden or reserved names: ${describeNames(specialNames)}.`;
  const isForProgram = options.json === true || options.progress === 'json';
  if (!isForProgram && process.stdin.isTTY && process.stderr.isTTY) {
    screen.say(warning);
    if (isYes((await ask(`Write them to ${to}? [y/N] `)) ?? '')) return;
    throw new CommandError(EXIT.failed, 'Nothing was received.');
  }
  throw new CommandError(
    EXIT.failed,
    `${warning} Nothing was received. To write them, add --allow-special-names.`,
    { specialNames },
  );
}

async function prepareFolder(plan: ReceivePlan, isForced: boolean): Promise<void> {
  await mkdir(plan.to, { recursive: true });
  if (!isForced)
    await requireUnused(
      plan.to,
      plan.files.map(({ name }) => name),
    );
  await mkdir(stagingFolder(plan), { recursive: true });
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
