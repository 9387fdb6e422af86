import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../client/api-error.ts';
import { type Comparison, compareFiles, type KnownFile } from '../../client/compare-files.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import { listTransferFiles, listTransfers, type Transfer } from '../../contracts/transfers/transfers.ts';
import { beginUpdate, listVersions, planUpdate, publishUpdate } from '../../contracts/transfers/versions.ts';
import { fetchPages } from '../../contracts/values/paging.ts';
import { readableReason, type SourceFile } from './collect-files.ts';
import type { SendContext } from './context.ts';
import { listUnfinishedSends, SendJournal, type SendUpdate } from './journal.ts';

/** This update can't be published any more, so it can't be resumed either. */
export class UpdateEndedError extends CommandError {
  constructor(reason: string) {
    super(EXIT.refused, `${reason} Run the command again to compare your files with the transfer.`);
  }
}

type Calls = Pick<SendContext, 'api' | 'retries' | 'signal'>;

/** Throws CommandError if the link is not of one of the account's own transfers. */
export async function findOwnTransfer({ api, retries, signal }: Calls, link: string): Promise<Transfer> {
  const [token] = /[0-9a-z]{26}/.exec(link.slice(link.lastIndexOf('/'))) ?? [];
  if (!token) throw usageError('--update needs the share link of one of your transfers.');
  const fetchPage = (cursor?: string) =>
    retries.run(() => api.callPage(listTransfers, { query: { cursor }, signal }), signal);
  const first = await fetchPage();
  const found = first.items.find((transfer) => transfer.token === token);
  if (found) return found;
  for await (const page of fetchPages(first.nextCursor, fetchPage)) {
    const later = page.find((transfer) => transfer.token === token);
    if (later) return later;
  }
  throw new CommandError(EXIT.failed, 'This link is not of one of your transfers.');
}

/** Reads local files only if the transfer has a file of their size. `version` is the one they are compared with. */
export async function compareWith(
  calls: Calls,
  transfer: Transfer,
  local: SourceFile[],
): Promise<Comparison<SourceFile> & { version: number }> {
  const { api, retries, signal } = calls;
  const { id } = transfer;
  // Read first: a file list that is newer than its version only makes `publish` refuse.
  const [current] = await retries.run(() => api.call(listVersions, { params: { id }, signal }), signal);
  const comparison = await compareFiles({
    known: await listKnownFiles(calls, id),
    local,
    hash: (file) => hashFile(file, signal),
  });
  return { ...comparison, version: current!.version };
}

async function listKnownFiles({ api, retries, signal }: Calls, id: string): Promise<KnownFile[]> {
  const fetchPage = (cursor?: string) =>
    retries.run(() => api.callPage(listTransferFiles, { params: { id }, query: { cursor }, signal }), signal);
  const first = await fetchPage();
  const known: KnownFile[] = [...first.items];
  for await (const page of fetchPages(first.nextCursor, fetchPage)) known.push(...page);
  return known;
}

async function hashFile({ path }: SourceFile, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new CommandError(EXIT.failed, `${path}: ${readableReason(error as NodeJS.ErrnoException)}.`);
  }
  return hash.digest('hex');
}

/**
 * The draft to which the files are sent. A transfer has one, so what another update has sent to it is discarded. Throws
 * UpdateEndedError if the transfer was updated since the comparison.
 */
export async function openUpdate(
  { api, retries, signal }: Calls,
  { transferId, version }: SendUpdate,
): Promise<string> {
  const params = { id: transferId };
  const begin = () => api.call(beginUpdate, { params, query: { anew: 'true' }, signal });
  const begun = await retries.run(begin, signal);
  if (begun.version !== version) throw outdated();
  return begun.draftId;
}

/**
 * Publishes the update once its files are complete. Repeating it after a lost answer changes nothing. `key` is the same
 * for all attempts of one update. Throws UpdateEndedError if another update has discarded the draft or was published.
 */
export async function publish(
  calls: Calls,
  update: SendUpdate,
  { draftId, key }: { draftId: string; key: string },
): Promise<void> {
  const { api, retries, signal } = calls;
  const { transferId, version } = update;
  const params = { id: transferId };
  try {
    await planChanges(calls, update, draftId);
  } catch (error) {
    // It may have been published already, which the next call finds out.
    if (!(error instanceof ApiError && error.code === 'update_not_begun')) throw error;
  }
  const idempotencyKey = createHash('sha256').update(`publish ${key}`).digest('hex');
  try {
    await retries.run(
      () => api.call(publishUpdate, { params, body: { version, draftId }, idempotencyKey, signal }),
      signal,
    );
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'update_outdated' || error.code === 'update_not_begun'))
      throw outdated();
    throw error;
  }
}

async function planChanges(
  { api, retries, signal }: Calls,
  update: SendUpdate,
  draftId: string,
): Promise<void> {
  const { transferId, removed, reused } = update;
  const count = Math.max(removed.length, reused.length);
  for (let start = 0; start < count; start += MAX_FILES_PER_CALL) {
    const end = start + MAX_FILES_PER_CALL;
    const body = { draftId, removed: removed.slice(start, end), reused: reused.slice(start, end) };
    await retries.run(() => api.call(planUpdate, { params: { id: transferId }, body, signal }), signal);
  }
}

function outdated(): UpdateEndedError {
  return new UpdateEndedError('The transfer was updated in the meantime.');
}

/**
 * Returns the journal of an interrupted run with the same changes. Those of other updates of the transfer are removed.
 * Throws CommandError while another process works on one of them.
 */
export async function reopenUpdate(
  server: string,
  { update, files }: { update: SendUpdate; files: SourceFile[] },
): Promise<SendJournal | undefined> {
  for (const state of await listUnfinishedSends()) {
    if (state.server !== server || state.update?.transferId !== update.transferId) continue;
    const journal = await SendJournal.reopen(state);
    if (isDeepStrictEqual([state.update, state.files], [update, files])) return journal;
    await journal.remove();
  }
  return undefined;
}

export function isEmptyUpdate({ send, removed, reused }: Comparison<SourceFile>): boolean {
  return send.length === 0 && removed.length === 0 && reused.length === 0;
}

/** Rejects settings, which an update keeps. */
export function requireNoSettings(settings: Record<string, unknown>): void {
  const given = Object.values(settings).some((value) => value !== undefined);
  if (given)
    throw usageError(
      '--update keeps link, recipients and settings. Change settings on the page of the transfer.',
    );
}
