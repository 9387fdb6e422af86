import { mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import type { DownloadView } from '../../contracts/transfers/downloads/downloads.ts';
import { parsePickupCode, pickUp } from '../../contracts/transfers/downloads/pickup.ts';
import { countOf } from '../../contracts/values/format.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { findSecretText } from '../../encryption/secret-text.ts';
import { parseServer } from '../account.ts';
import {
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
  readPassword,
  SHARE_SERVER_OPTION,
} from '../command.ts';
import { deriveLinkKeys, restoreLinkKeys, storeLinkKeys } from '../encrypted/link-keys.ts';
import { fetchManifest, joinFiles } from '../encrypted/manifest.ts';
import { readDefaults } from '../environment.ts';
import { Api } from '../http/api.ts';
import { confirmSpecialNames, DESTINATION_OPTIONS, type DestinationOptions } from './destination.ts';
import {
  findUnfinishedReceive,
  listResults,
  ReceiveJournal,
  type ReceivePlan,
  receiveId,
  type UnfinishedReceive,
} from './journal.ts';
import { type PlanOptions, planReceive, toListedFile } from './plan.ts';
import { receiveTransfer, stagingFolder } from './receive-transfer.ts';
import { hideControls, receiveSecretText } from './secret-text.ts';
import { listFiles, openShare, parseShare, type Share, unlock } from './share.ts';
import { describeNames, requireUnused } from './staging/place-files.ts';

type ReceiveOptions = PasswordOptions & DestinationOptions & PlanOptions & { server?: string; follow?: true };

export const receiveCommand: Command = {
  name: 'receive',
  summary: 'Receive a transfer by its link or pickup code',
  details: [
    'This counts as one download, regardless of the number of files and interruptions. Several files arrive as one ' +
      'zip, which is unpacked on the fly. The files appear in the folder when all of them have arrived and their ' +
      'SHA-256 is verified.',
    'An encrypted transfer is decrypted while it arrives. Put its link in quotes. A secret text is printed on standard ' +
      'output.',
    'If it is interrupted, run the same command again, or `sendwell resume`.',
  ],
  arguments: [new Argument('<link>', 'The link of the transfer, or its pickup code with --server')],
  options: [
    new Option('--file <name>', 'Receive only this file or folder of the transfer, by its name or path'),
    new Option('--zip', 'Save several files as one zip'),
    new Option(
      '--follow',
      'Receive files that are still being uploaded as they arrive, and wait for the sender as long as it takes',
    ),
    new Option(
      '--bag',
      'Save the files as a BagIt bag with the SHA-256 of each (RFC 8493), in a zip',
    ).conflicts('zip'),
    ...passwordOptions('Password of the transfer'),
    ...DESTINATION_OPTIONS,
    SHARE_SERVER_OPTION,
  ],
  run: receive,
};

async function receive(run: Run<[string], ReceiveOptions>): Promise<Outcome> {
  const { args, options, firstContact, signal } = run;
  const share = await findShare(run, args[0]);
  const to = resolve(options.to ?? '.');
  const selection = [
    options.file ?? '',
    String(options.zip === true),
    String(options.portableNames === true),
    ...(options.bag ? ['bag'] : []),
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
    const { view, sealed } = await openShare(visit, share, await readPassword(options));
    if (!options.follow) requireArrived(view);
    if (sealed && options.bag)
      throw usageError(
        '--bag is not available for an encrypted transfer. Receive its files, or only some with --file.',
      );
    const files = await listFiles(visit, share, view);
    const manifest = sealed && (await fetchManifest(visit, share.token, sealed.keys.manifest));
    const listing = manifest
      ? joinFiles(files, manifest)
      : { files: files.map(toListedFile), isComplete: true, missing: [] };
    const entry = manifest && findSecretText(manifest);
    if (entry) {
      if (options.to !== undefined)
        throw usageError('This is a secret text. Leave out --to: it is printed, and not saved.');
      const secret = { entry, listed: listing.files[0], keys: sealed!.keys };
      const text = await receiveSecretText(visit, share, secret);
      return {
        text: process.stdout.isTTY ? hideControls(text) : text,
        facts: { text, title: manifest.title },
      };
    }
    const plan: ReceivePlan = {
      ...planReceive(share, { view, title: manifest?.title ?? null, ...listing }, options),
      ...(sealed && { encryption: storeLinkKeys(sealed) }),
      ...(options.file === undefined && listing.missing.length > 0 && { missing: listing.missing }),
      id,
      to,
      startedAt: Date.now(),
    };
    await confirmSpecialNames(run, plan.to, listResults(plan));
    await prepareFolder(plan, options.force === true);
    return await finishReceive(run, api, await ReceiveJournal.create(plan, api.cookies));
  } finally {
    api.close();
  }
}

/** Without `--follow`, the command doesn't wait for the sender's upload. */
function requireArrived({ arrival }: DownloadView): void {
  if (!arrival) return;
  const arrived = Math.floor((100 * arrival.receivedBytes) / Math.max(1, arrival.totalBytes));
  throw new CommandError(
    EXIT.refused,
    `This transfer is still being uploaded; ${arrived} % have arrived. Add --follow to receive it as it arrives.`,
    { arrival: { receivedBytes: arrival.receivedBytes, totalBytes: arrival.totalBytes } },
  );
}

/** A link, a token, or a pickup code of six letters, which the server knows for a day. */
async function findShare(
  { options, firstContact, signal }: Run<[string], ReceiveOptions>,
  text: string,
): Promise<Share> {
  const address = options.server ?? readDefaults().server;
  const code = parsePickupCode(text);
  if (code === undefined) return parseShare(text, address);
  const server = parseServer(address);
  const api = new Api(server);
  try {
    const { token } = await firstContact.run(() => api.call(pickUp, { body: { code }, signal }), signal);
    return { server, token, recipientToken: undefined, linkSecret: undefined };
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
      if (password === undefined || unfinished.encryption) return;
      const share = { server, token, recipientToken: undefined, linkSecret: undefined };
      await openShare({ api, retries, signal }, share, password);
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
  const { encryption, token } = journal.state;
  const keys = encryption && (await deriveLinkKeys(restoreLinkKeys(encryption)));
  const unlockAgain = keys && (() => unlock({ api, retries, signal }, token, keys));
  const isForced = options.force === true;
  const context = { api, journal, screen, retries, signal, unlock: unlockAgain, keys, isForced };
  const startedAt = performance.now();
  try {
    await prepare();
    const received = await receiveTransfer(context);
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    const { files, bytes, folder, verified } = received;
    const { missing = [] } = journal.state;
    if (missing.length > 0) screen.say(`The server does not have all files: ${describeNames(missing)}.`);
    screen.say(`Received ${countOf(files.length, 'file')}, ${formatSize(bytes)}. ${VERIFIED_BY[verified]}.`);
    return {
      text: folder,
      facts: { ...received, seconds, ...(missing.length > 0 && { missing }) },
      exitCode: missing.length > 0 ? EXIT.found : EXIT.ok,
    };
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
  encryption: 'Verified by authenticated encryption',
  crc32: 'Verified by CRC-32; the server has not computed the SHA-256 yet',
  length: 'Verified by length; the server has not computed the SHA-256 yet',
};

async function prepareFolder(plan: ReceivePlan, isForced: boolean): Promise<void> {
  await mkdir(plan.to, { recursive: true });
  if (!isForced) await requireUnused(plan.to, listResults(plan));
  await mkdir(stagingFolder(plan), { recursive: true });
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
