import { rm } from 'node:fs/promises';
import { formatSize } from '../contracts/values/sizes.ts';
import { findAccount } from './account.ts';
import type { Command, Outcome, Run } from './command.ts';
import { CommandError, describeError, EXIT, usageError } from './exits.ts';
import { Api } from './http/api.ts';
import { ACCOUNT_OPTIONS, textOf } from './options.ts';
import { countFiles, formatDuration, toOneLine } from './progress/words.ts';
import { resumeReceiving } from './receive/receive-command.ts';
import { stagingFolder } from './receive/receive-transfer.ts';
import { forgetReceiving, listReceivings, type Receiving } from './receive/receiving.ts';
import { forgetSending, Journal, listSendings, type Sending } from './send/journal.ts';
import { carryOn } from './send/send-command.ts';
import { discardDraft } from './send/send-transfer.ts';

type Unfinished = { kind: 'send'; work: Sending } | { kind: 'receive'; work: Receiving };

export const resumeCommand: Command = {
  summary: 'Go on with a transfer that was interrupted',
  usage: '[id] [--list | --discard] [options]',
  options: {
    list: { type: 'boolean', help: 'Show what is unfinished' },
    discard: { type: 'boolean', help: 'Give it up: what was sent or received of it goes' },
    password: { type: 'string', value: 'PASSWORD', help: 'Of a transfer that is received' },
    'password-stdin': { type: 'boolean', help: 'Read the password from standard input instead' },
    force: { type: 'boolean', help: 'Overwrite files that are there already' },
    ...ACCOUNT_OPTIONS,
  },
  notes: ['Without an id it goes on with the only one there is.'],
  run: resume,
};

async function resume(run: Run): Promise<Outcome> {
  const unfinished = await listUnfinished();
  if (run.values.list) return describeAll(unfinished);
  const chosen = choose(unfinished, run.paths);
  if (run.values.discard) return await discard(run, chosen);
  if (chosen.kind === 'receive') return await resumeReceiving(run, chosen.work);
  const { screen, retries, signal } = run;
  const api = await openApi(run, chosen.work);
  try {
    return await carryOn({ api, journal: await Journal.reopen(chosen.work), screen, retries, signal });
  } finally {
    api.close();
  }
}

async function listUnfinished(): Promise<Unfinished[]> {
  const sendings = (await listSendings()).map((work): Unfinished => ({ kind: 'send', work }));
  const receivings = (await listReceivings()).map((work): Unfinished => ({ kind: 'receive', work }));
  return [...sendings, ...receivings].sort((a, b) => a.work.startedAt - b.work.startedAt);
}

function choose(unfinished: Unfinished[], [id, ...more]: string[]): Unfinished {
  if (more.length > 0) throw usageError('One id at a time.');
  const found = id === undefined ? unfinished : unfinished.filter(({ work }) => work.id === id);
  const [only] = found;
  if (found.length === 1) return only!;
  if (id !== undefined)
    throw usageError(`There is no unfinished transfer “${id}”. \`sendwell resume --list\` shows them.`);
  if (!only) throw new CommandError(EXIT.failed, 'Nothing is unfinished.');
  throw usageError(`Which one?\n${found.map(describe).join('\n')}`);
}

/** The server is that of the transfer, whatever is kept or set. */
async function openApi({ values }: Run, { server }: Sending): Promise<Api> {
  const { key } = await findAccount({ server, key: textOf(values, 'key') });
  return new Api(server, { key });
}

async function discard(run: Run, { kind, work }: Unfinished): Promise<Outcome> {
  if (kind === 'receive') {
    await rm(stagingFolder(work), { recursive: true, force: true });
    await forgetReceiving(work.id);
  } else {
    if (work.transferId !== undefined) await discardOnServer(run, work, work.transferId);
    await forgetSending(work.id);
  }
  return { text: `Given up: ${work.id}`, facts: { discarded: work.id } };
}

/** Without its answer the server lets go of it in a day all the same. */
async function discardOnServer(run: Run, work: Sending, transferId: string): Promise<void> {
  const api = await openApi(run, work);
  try {
    await run.firstContact.run(() => discardDraft(api, transferId), run.signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.screen.say(`The server could not be told (${describeError(error)}); it lets go of it in a day.`);
  } finally {
    api.close();
  }
}

function describeAll(unfinished: Unfinished[]): Outcome {
  const text = unfinished.length > 0 ? unfinished.map(describe).join('\n') : 'Nothing is unfinished.';
  const rows = unfinished.map(({ kind, work }) => ({
    id: work.id,
    kind,
    server: work.server,
    startedAt: new Date(work.startedAt).toISOString(),
    files: work.files.length,
    bytes: sizeOf({ kind, work } as Unfinished),
  }));
  return { text, facts: { unfinished: rows } };
}

function describe(unfinished: Unfinished): string {
  const { kind, work } = unfinished;
  const [first] = work.files;
  const name = first === undefined ? '' : 'relativePath' in first ? first.relativePath : first.name;
  const facts = [
    kind === 'send' ? 'sending' : 'receiving',
    toOneLine(name.split('/')[0]!),
    countFiles(work.files.length),
    formatSize(sizeOf(unfinished)),
    `begun ${formatDuration((Date.now() - work.startedAt) / 1_000)} ago`,
  ];
  return `${work.id}  ${facts.join(' · ')}`;
}

function sizeOf({ kind, work }: Unfinished): number {
  return kind === 'receive' ? work.totalBytes : work.files.reduce((sum, { size }) => sum + size, 0);
}
