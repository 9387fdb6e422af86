import { rm } from 'node:fs/promises';
import { Argument, Option } from 'commander';
import { CommandError, EXIT, usageError } from '../command-line/exit-codes.ts';
import { countOf } from '../contracts/values/format.ts';
import { formatSize } from '../contracts/values/sizes.ts';
import { getAccount } from './account.ts';
import {
  ACCOUNT_OPTIONS,
  type AccountOptions,
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
} from './command.ts';
import { Api } from './http/api.ts';
import { describeError } from './http/errors.ts';
import { formatDuration, toOneLine } from './progress/words.ts';
import { FORCE_OPTION } from './receive/destination.ts';
import { listUnfinishedReceives, ReceiveJournal, type UnfinishedReceive } from './receive/journal.ts';
import { resumeReceive } from './receive/receive-command.ts';
import { stagingFolder } from './receive/receive-transfer.ts';
import { listUnfinishedSends, SendJournal, type UnfinishedSend } from './send/journal.ts';
import { finishSend } from './send/send-command.ts';
import { discardDraft } from './send/send-transfer.ts';

type Unfinished = { kind: 'send'; state: UnfinishedSend } | { kind: 'receive'; state: UnfinishedReceive };

type ResumeRun = Run<
  [string | undefined],
  AccountOptions & PasswordOptions & { list?: true; discard?: true; force?: true }
>;

export const resumeCommand: Command = {
  name: 'resume',
  summary: 'Continue a transfer that was interrupted',
  arguments: [new Argument('[id]', 'Id of the transfer; optional if there is only one')],
  options: [
    new Option('--list', 'List unfinished transfers'),
    new Option('--discard', 'Delete an unfinished transfer and what was sent or received so far'),
    ...passwordOptions('Password of the transfer to receive'),
    FORCE_OPTION,
    ...ACCOUNT_OPTIONS,
  ],
  run: resume,
};

async function resume(run: ResumeRun): Promise<Outcome> {
  const unfinished = await listUnfinished();
  if (run.options.list) return describeAll(unfinished);
  const chosen = choose(unfinished, run.args[0]);
  if (run.options.discard) return await discard(run, chosen);
  if (chosen.kind === 'receive') return await resumeReceive(run, chosen.state);
  const { screen, retries, signal } = run;
  const api = await openApi(run, chosen.state);
  try {
    const journal = await SendJournal.reopen(chosen.state);
    return await finishSend({ api, journal, screen, retries, signal });
  } finally {
    api.close();
  }
}

async function listUnfinished(): Promise<Unfinished[]> {
  const sends = (await listUnfinishedSends()).map((state): Unfinished => ({ kind: 'send', state }));
  const receives = (await listUnfinishedReceives()).map((state): Unfinished => ({ kind: 'receive', state }));
  return [...sends, ...receives].sort((a, b) => a.state.startedAt - b.state.startedAt);
}

function choose(unfinished: Unfinished[], id: string | undefined): Unfinished {
  const found = id === undefined ? unfinished : unfinished.filter(({ state }) => state.id === id);
  const [only] = found;
  if (found.length === 1) return only!;
  if (id !== undefined)
    throw usageError(`There is no unfinished transfer “${id}”. List them with \`sendwell resume --list\`.`);
  if (!only) throw new CommandError(EXIT.failed, 'There are no unfinished transfers.');
  throw usageError(
    `There are several unfinished transfers. Choose one by its id:\n${found.map(describe).join('\n')}`,
  );
}

/** Connects to the server of the transfer, even if another one is saved or set. */
async function openApi({ options }: ResumeRun, { server }: UnfinishedSend): Promise<Api> {
  const { key } = await getAccount({ server, ...(options.key !== undefined && { key: options.key }) });
  return new Api(server, { key });
}

/** Throws CommandError while another process works on it. */
async function discard(run: ResumeRun, { kind, state }: Unfinished): Promise<Outcome> {
  const journal = await (kind === 'receive' ? ReceiveJournal.reopen(state) : SendJournal.reopen(state));
  try {
    if (kind === 'receive') await rm(stagingFolder(state), { recursive: true, force: true });
    else if (state.transferId !== undefined) await discardOnServer(run, state, state.transferId);
    await journal.remove();
  } catch (error) {
    await journal.close();
    throw error;
  }
  return { text: `Discarded: ${state.id}`, facts: { discarded: state.id } };
}

/** If the server cannot be reached, it deletes the unfinished upload itself after a day. */
async function discardOnServer(run: ResumeRun, state: UnfinishedSend, transferId: string): Promise<void> {
  const api = await openApi(run, state);
  try {
    await run.firstContact.run(() => discardDraft(api, transferId), run.signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.screen.say(
      `Couldn’t delete the upload on the server; it expires there within a day. ${describeError(error)}`,
    );
  } finally {
    api.close();
  }
}

function describeAll(unfinished: Unfinished[]): Outcome {
  const rows = unfinished.map((each) => ({
    id: each.state.id,
    kind: each.kind,
    server: each.state.server,
    startedAt: new Date(each.state.startedAt).toISOString(),
    files: each.state.files.length,
    bytes: sizeOf(each),
  }));
  return {
    text: unfinished.map(describe).join('\n') || 'There are no unfinished transfers.',
    facts: { unfinished: rows },
  };
}

function describe(unfinished: Unfinished): string {
  const { kind, state } = unfinished;
  const [first] = state.files;
  const name = first === undefined ? '' : 'relativePath' in first ? first.relativePath : first.name;
  const facts = [
    kind === 'send' ? 'sending' : 'receiving',
    toOneLine(name.split('/')[0]!),
    countOf(state.files.length, 'file'),
    formatSize(sizeOf(unfinished)),
    `started ${formatDuration((Date.now() - state.startedAt) / 1_000)} ago`,
  ];
  return `${state.id}  ${facts.join(' · ')}`;
}

function sizeOf({ kind, state }: Unfinished): number {
  return kind === 'receive' ? state.totalBytes : state.files.reduce((sum, { size }) => sum + size, 0);
}
