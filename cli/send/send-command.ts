import { Argument, Option } from 'commander';
import { ApiError } from '../../client/api-error.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { wholeNumber } from '../../command-line/program.ts';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import { createPickupCode, formatPickupCode } from '../../contracts/transfers/downloads/pickup.ts';
import { shareLink } from '../../contracts/values/addresses/links.ts';
import { countOf } from '../../contracts/values/format.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { getAccount } from '../account.ts';
import {
  ACCOUNT_OPTIONS,
  type AccountOptions,
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
  readPassword,
} from '../command.ts';
import { Api } from '../http/api.ts';
import { toOneLine } from '../progress/words.ts';
import { collectFiles, type SourceFile } from './collect-files.ts';
import type { SendContext } from './context.ts';
import { createSendEncryption, describeLink, newFileId } from './encryption.ts';
import { SendJournal } from './journal.ts';
import { discardDraft, sendTransfer } from './send-transfer.ts';
import { readSettings, requireIncluded, type SettingsOptions } from './settings.ts';
import {
  compareWith,
  findOwnTransfer,
  isEmptyUpdate,
  reopenUpdate,
  requireNoSettings,
  UpdateEndedError,
} from './update.ts';

type SendOptions = AccountOptions &
  PasswordOptions &
  SettingsOptions & { name?: string; shareNow?: true; encrypt?: true; update?: string; pickupCode?: true };

export const sendCommand: Command = {
  name: 'send',
  summary: 'Send files and folders, and print the share link',
  details: [
    'If it is interrupted, run `sendwell resume`. Bytes that the server already has are not sent again.',
    'With --encrypt, the key is in the link only. The server cannot restore it, and its emails to --to do not have it: ' +
      'send the whole link yourself. A password becomes part of the key; tell it to the recipients in another way.',
    'With --update, files that are missing in a folder you name are removed from that folder. Recipients see the new version at once, and can still download earlier ones. An interrupted update continues when the same command is run again; another update of the transfer replaces it.',
  ],
  arguments: [new Argument('<paths...>', 'Files and folders')],
  options: [
    new Option(
      '--encrypt',
      'Encrypt end to end: only those who have the whole link can read the files, their names, title and message',
    ),
    new Option(
      '--share-now',
      'Print the link at once: recipients can receive the files while they are being sent, even if you cancel later',
    ),
    new Option('--to <emails>', 'Email the link to these addresses, separated by commas'),
    new Option(
      '--days <n>',
      'Days until the transfer expires; by default as many as your plan allows',
    ).argParser(wholeNumber({ least: 1 })),
    new Option('--title <text>', 'Title for the recipients'),
    new Option('--message <text>', 'Message to the recipients'),
    ...passwordOptions('Password that recipients must enter'),
    new Option('--max-downloads <n>', 'Close the transfer after this many downloads').argParser(
      wholeNumber({ least: 1 }),
    ),
    new Option('--auto-delete', 'Delete the files after the last allowed download; needs --max-downloads'),
    new Option('--at <time>', 'Make the transfer available from this time on, such as 2026-12-24T18:00'),
    new Option('--pickup-code', 'Also print a code of six letters that leads to the files for a day'),
    new Option('--name <name>', 'Send a single file or folder under another name'),
    new Option(
      '--update <link>',
      'Replace these files and folders in one of your transfers; sends only what changed, and keeps the link',
    ),
    ...ACCOUNT_OPTIONS,
  ],
  run: send,
};

async function send(run: Run<[string[]], SendOptions>): Promise<Outcome> {
  const { options, screen, firstContact, retries, signal } = run;
  const [paths] = run.args;
  const { name } = options;
  if (name !== undefined && paths.length > 1) throw usageError('--name needs exactly one file or folder.');
  if (options.update !== undefined && options.encrypt)
    throw usageError(`--update: ${errorMessage('encrypted_not_updatable')}`);
  if (options.update !== undefined && options.shareNow)
    throw usageError('--share-now is not available with --update.');
  if (options.encrypt && options.pickupCode)
    throw usageError(`--pickup-code: ${errorMessage('pickup_encrypted')}`);
  const password = await readPassword(options, 'Password of the transfer: ');
  const settings = readSettings({ ...options, password });
  if (options.update !== undefined) requireNoSettings(settings);
  const account = await getAccount(options);
  const { files, notes } = await collectFiles(paths, { name });
  for (const note of notes) screen.say(toOneLine(note));
  const api = new Api(account.server, { key: account.key });
  try {
    const user = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
    requireIncluded(user, settings);
    if (options.update !== undefined) return await sendUpdate(run, { api, server: account.server, files });
    const { server } = account;
    const plan = {
      server,
      settings,
      startedAt: Date.now(),
      ...(options.pickupCode && { pickupCode: true }),
      ...(options.shareNow && { isShared: true as const }),
    };
    const journal = await SendJournal.create(
      options.encrypt
        ? {
            ...plan,
            encryption: await createSendEncryption(settings),
            files: files.map((file) => ({ ...file, ...newFileId() })),
          }
        : { ...plan, files },
    );
    return await finishSend({ api, journal, retries, screen, signal });
  } finally {
    api.close();
  }
}

async function sendUpdate(
  { options, screen, retries, signal }: Run<[string[]], SendOptions>,
  { api, server, files }: { api: Api; server: string; files: SourceFile[] },
): Promise<Outcome> {
  const calls = { api, retries, signal };
  const transfer = await findOwnTransfer(calls, options.update!);
  if (transfer.encryption) throw new CommandError(EXIT.refused, errorMessage('encrypted_not_updatable'));
  const compared = await compareWith(calls, transfer, files);
  const { send: changed, removed, reused, unchanged, version } = compared;
  screen.say(
    `${countOf(unchanged, 'file')} unchanged, ${changed.length} to send, ${reused.length} known under another name, ${removed.length} replaced or removed.`,
  );
  const { id: transferId, token } = transfer;
  const link = shareLink(server, token);
  if (isEmptyUpdate(compared)) {
    screen.say('The transfer is up to date.');
    const pickup = options.pickupCode ? await fetchPickupCode({ ...calls, screen }, transferId) : {};
    return { text: link, facts: { id: transferId, token, link, files: 0, bytes: 0, unchanged, ...pickup } };
  }
  const plan = { update: { transferId, token, version, removed, reused }, files: changed };
  const interrupted = await reopenUpdate(server, plan);
  if (interrupted) screen.say('Continuing where it stopped.');
  const journal =
    interrupted ?? (await SendJournal.create({ ...plan, server, settings: {}, startedAt: Date.now() }));
  journal.state.pickupCode ||= options.pickupCode === true;
  return await finishSend({ api, journal, retries, screen, signal });
}

/** Prints the command to resume with if it fails. */
export async function finishSend(context: SendContext): Promise<Outcome> {
  const { journal, screen } = context;
  const startedAt = performance.now();
  try {
    const sent = await sendTransfer(context);
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    screen.say(`Sent ${countOf(sent.files, 'file')}, ${formatSize(sent.bytes)}.`);
    const pickup = journal.state.pickupCode ? await fetchPickupCode(context, sent.id) : {};
    return { text: sent.link, facts: { ...sent, ...pickup, seconds } };
  } catch (error) {
    const { id, transferId } = journal.state;
    await journal.close();
    const isFinal =
      error instanceof CommandError
        ? error instanceof UpdateEndedError
        : transferId === undefined || isFinalRefusal(error);
    if (isFinal) {
      await journal.remove();
      // Otherwise the announced files would reserve space for a day.
      if (transferId !== undefined) await discardDraft(context.api, transferId).catch(() => {});
      throw error;
    }
    screen.stop();
    screen.say(`Continue with: sendwell resume ${id}`);
    if (error instanceof CommandError) {
      const link = journal.state.encryption && describeLink(journal.state);
      throw new CommandError(error.exitCode, error.message, { ...error.facts, resume: id, link });
    }
    throw error;
  }
}

/** The files are sent, so a failure is only reported. */
async function fetchPickupCode({ api, screen, retries, signal }: Omit<SendContext, 'journal'>, id: string) {
  try {
    const create = () => api.call(createPickupCode, { params: { id }, signal });
    const { code, expiresAt } = await retries.run(create, signal);
    const end = new Date(expiresAt).toLocaleString('en-GB');
    screen.say(`Pickup code: ${formatPickupCode(code)}, valid until ${end}.`);
    return { pickupCode: code, pickupCodeExpiresAt: expiresAt };
  } catch (error) {
    screen.say(`No pickup code could be created: ${toOneLine((error as Error).message)}`);
    return {};
  }
}

/** A retry does not change the limits of a plan. */
function isFinalRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 402 || error.status === 413);
}
