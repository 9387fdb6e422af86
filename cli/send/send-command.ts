import { ApiError } from '../../client/api-error.ts';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { findAccount } from '../account.ts';
import type { Command, Outcome, Run } from '../command.ts';
import { CommandError, usageError } from '../exits.ts';
import { Api } from '../http/api.ts';
import { ACCOUNT_OPTIONS, textOf } from '../options.ts';
import { countFiles, toOneLine } from '../progress/words.ts';
import { collectFiles } from './collect-files.ts';
import { Journal } from './journal.ts';
import { readSettings, requireIncluded } from './send-settings.ts';
import { discardDraft, sendTransfer } from './send-transfer.ts';

export const sendCommand: Command = {
  summary: 'Send files and folders; prints the share link',
  usage: '<paths…> [options]',
  options: {
    to: { type: 'string', value: 'EMAILS', help: 'Mail the link to these addresses, comma-separated' },
    days: { type: 'string', value: 'DAYS', help: 'Days to live; the longest your plan has unless told' },
    title: { type: 'string', value: 'TEXT', help: 'What recipients see above the files' },
    message: { type: 'string', value: 'TEXT', help: 'A few words for the recipients' },
    password: { type: 'string', value: 'PASSWORD', help: 'Ask for it before anything is shown' },
    'password-stdin': { type: 'boolean', help: 'Read the password from standard input instead' },
    'max-downloads': { type: 'string', value: 'N', help: 'Close after so many downloads' },
    'auto-delete': { type: 'boolean', help: 'Delete the files after the last of these downloads' },
    at: { type: 'string', value: 'TIME', help: 'Not available before this time (2026-12-24T18:00)' },
    name: { type: 'string', value: 'NAME', help: 'What the one file or folder is called for the recipient' },
    ...ACCOUNT_OPTIONS,
  },
  notes: ['What breaks off goes on with `sendwell resume`: what the server has is never sent twice.'],
  run: send,
};

async function send({ values, paths, screen, firstContact, retries, signal }: Run): Promise<Outcome> {
  if (paths.length === 0) throw usageError('Send what? `sendwell send <paths…>`');
  const name = textOf(values, 'name');
  if (name !== undefined && paths.length > 1) throw usageError('--name is for one file or folder.');
  const settings = await readSettings(values);
  const account = await findAccount({ server: textOf(values, 'server'), key: textOf(values, 'key') });
  const { files, notes } = await collectFiles(paths, { name });
  for (const note of notes) screen.say(toOneLine(note));
  const api = new Api(account.server, { key: account.key });
  try {
    const user = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
    requireIncluded(user, settings);
    const journal = await Journal.begin({ server: account.server, settings, files, startedAt: Date.now() });
    return await carryOn({ api, journal, retries, screen, signal });
  } finally {
    api.close();
  }
}

type Course = Parameters<typeof sendTransfer>[0];

/** Sends, and says what came of it; also how to go on when it broke off. */
export async function carryOn(course: Course): Promise<Outcome> {
  const { journal, screen } = course;
  const started = performance.now();
  try {
    const sent = await sendTransfer(course);
    const seconds = Math.round(performance.now() - started) / 1_000;
    screen.say(`Sent ${countFiles(sent.files)}, ${formatSize(sent.bytes)}.`);
    return { text: sent.link, facts: { ...sent, seconds } };
  } catch (error) {
    const { id, transferId } = journal.sending;
    await journal.close();
    if (!(error instanceof CommandError) && (transferId === undefined || isRefusedForGood(error))) {
      // There is nothing to go on with: what was announced would hold room for a day.
      await journal.remove();
      if (transferId !== undefined) await discardDraft(course.api, transferId).catch(() => {});
      throw error;
    }
    screen.stop();
    screen.say(`Go on with: sendwell resume ${id}`);
    if (error instanceof CommandError)
      throw new CommandError(error.exitCode, error.message, { ...error.facts, resume: id });
    throw error;
  }
}

/** The plan's limits do not change by trying again. */
function isRefusedForGood(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 402 || error.status === 413);
}
