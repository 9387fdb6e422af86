import { Argument, Option } from 'commander';
import { ApiError } from '../../client/api-error.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { wholeNumber } from '../../command-line/program.ts';
import { type CurrentUser, getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import { FEATURES, tierLabel } from '../../contracts/plans/tiers.ts';
import { createPickupCode, formatPickupCode } from '../../contracts/transfers/pickup.ts';
import {
  findAutoDeleteError,
  findExcludedSetting,
} from '../../contracts/transfers/settings/settings-rules.ts';
import { TransferSettings } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
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
import { collectFiles } from './collect-files.ts';
import type { SendContext } from './context.ts';
import { createSendEncryption, describeLink, newFileId } from './encryption.ts';
import { SendJournal } from './journal.ts';
import { discardDraft, sendTransfer } from './send-transfer.ts';

type SendOptions = AccountOptions &
  PasswordOptions & {
    to?: string;
    days?: number;
    title?: string;
    message?: string;
    maxDownloads?: number;
    autoDelete?: true;
    at?: string;
    name?: string;
    encrypt?: true;
    pickupCode?: true;
  };

export const sendCommand: Command = {
  name: 'send',
  summary: 'Send files and folders, and print the share link',
  details: [
    'If it is interrupted, run `sendwell resume`. Bytes that the server already has are not sent again.',
    'With --encrypt, the key is in the link only. The server cannot restore it, and its emails to --to do not have it: ' +
      'send the whole link yourself. A password becomes part of the key; tell it to the recipients in another way.',
  ],
  arguments: [new Argument('<paths...>', 'Files and folders')],
  options: [
    new Option(
      '--encrypt',
      'Encrypt end to end: only those who have the whole link can read the files, their names, title and message',
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
    ...ACCOUNT_OPTIONS,
  ],
  run: send,
};

async function send(run: Run<[string[]], SendOptions>): Promise<Outcome> {
  const { options, screen, firstContact, retries, signal } = run;
  const [paths] = run.args;
  const { name } = options;
  if (name !== undefined && paths.length > 1) throw usageError('--name needs exactly one file or folder.');
  if (options.encrypt && options.pickupCode)
    throw usageError(`--pickup-code: ${errorMessage('pickup_encrypted')}`);
  const settings = await readSettings(options);
  const account = await getAccount(options);
  const { files, notes } = await collectFiles(paths, { name });
  for (const note of notes) screen.say(toOneLine(note));
  const api = new Api(account.server, { key: account.key });
  try {
    const user = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
    requireIncluded(user, settings);
    const { server } = account;
    const { pickupCode } = options;
    const plan = { server, settings, startedAt: Date.now(), ...(pickupCode && { pickupCode }) };
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
    if (!(error instanceof CommandError) && (transferId === undefined || isFinalRefusal(error))) {
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
async function fetchPickupCode({ api, screen, retries, signal }: SendContext, id: string) {
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

/** Throws CommandError for values that the server would reject only after the last byte. */
async function readSettings(options: SendOptions): Promise<TransferSettingsInput> {
  const settings: TransferSettingsInput = {
    title: options.title,
    message: options.message,
    recipientEmails: options.to,
    expirationDays: options.days,
    scheduledAvailableAt: parseTime(options.at),
    password: await readPassword(options, 'Password of the transfer: '),
    maxDownloads: options.maxDownloads,
    autoDeleteAfterDownloads: options.autoDelete,
  };
  const checked = TransferSettings.safeParse(settings);
  const [issue] = checked.error?.issues ?? [];
  if (issue)
    throw usageError(`${OPTION_OF[String(issue.path[0])] ?? issue.path.join('.')}: ${issue.message}`);
  const contradiction = findAutoDeleteError({
    autoDelete: settings.autoDeleteAfterDownloads === true,
    maxDownloads: settings.maxDownloads,
  });
  if (contradiction) throw usageError(`--auto-delete: ${errorMessage(contradiction)}`);
  return settings;
}

const OPTION_OF: Record<string, string> = {
  title: '--title',
  message: '--message',
  recipientEmails: '--to',
  expirationDays: '--days',
  scheduledAvailableAt: '--at',
  password: '--password',
  maxDownloads: '--max-downloads',
};

/** Checks the plan before sending: the server checks settings only after the last byte. */
function requireIncluded({ tier }: Pick<CurrentUser, 'tier'>, settings: TransferSettingsInput): void {
  const excluded = findExcludedSetting(settings, tier);
  if (!excluded) return;
  const { label, tier: needed } = FEATURES[excluded];
  throw new CommandError(
    EXIT.refused,
    errorMessage('tier_required', { feature: label, tier: tierLabel(needed) }),
  );
}

/** ISO 8601; local time if it has no zone. */
function parseTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  if (!time || Number.isNaN(time.getTime()))
    throw usageError('--at must be a time such as 2026-12-24T18:00.');
  return time.toISOString();
}
