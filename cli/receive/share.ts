import type { Retries } from '../../client/retries.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { readSecret } from '../../command-line/prompts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import {
  type DownloadView,
  listDownloadFiles,
  verifyDownload,
  viewDownload,
} from '../../contracts/transfers/downloads.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { checksumsPath, ID_PATTERN } from '../../contracts/values/links.ts';
import { fetchPages } from '../../contracts/values/paging.ts';
import { parseServer } from '../account.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';

const MAX_CHECKSUM_BYTES = 256 * 1024 * 1024;

export type Share = {
  server: string;
  token: string;
  /** From a recipient's personal link. */
  recipientToken: string | undefined;
};

type Visit = { api: Api; retries: Retries; signal: AbortSignal };

/** Parses a link copied from an email or an address bar, or a bare token of `server`. Throws CommandError. */
export function parseShare(text: string, server: string | undefined): Share {
  if (ID_PATTERN.test(text)) return { server: parseServer(server), token: text, recipientToken: undefined };
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const [, base, token] = /^(.*)\/download\/([0-9a-z]{26})(?:\/.*)?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || token === undefined) throw usageError(`“${text}” is not a share link.`);
  const recipient = url.searchParams.get('r') ?? '';
  return {
    server: url.origin + (base === '/api' ? '' : base),
    token,
    recipientToken: ID_PATTERN.test(recipient) ? recipient : undefined,
  };
}

export function isShare(text: string): boolean {
  return ID_PATTERN.test(text) || /\/download\/[0-9a-z]{26}/.test(text);
}

/**
 * Fetches the view of a transfer, and unlocks it with the password if it needs one. Throws ApiError, or CommandError
 * if the transfer is not available or its password is missing.
 */
export async function openShare(
  visit: Visit,
  share: Share,
  password: string | undefined,
): Promise<DownloadView> {
  const { api, retries, signal } = visit;
  const { token, recipientToken: r } = share;
  const fetchView = () =>
    retries.run(() => api.call(viewDownload, { params: { token }, query: { r }, signal }), signal);
  let view = await fetchView();
  if (view.isPasswordProtected && !view.unlocked) {
    await unlock(visit, token, password ?? (await askForPassword()));
    view = await fetchView();
  }
  if (view.isExpired) throw new CommandError(EXIT.refused, errorMessage('transfer_expired'));
  if (view.availableAt !== undefined) {
    const when = new Date(view.availableAt).toLocaleString('en-GB');
    throw new CommandError(EXIT.refused, `This transfer is not available before ${when}.`, {
      availableAt: view.availableAt,
    });
  }
  return view;
}

/** Also fetches the pages after the first. Throws ApiError. */
export async function listFiles(
  { api, retries, signal }: Visit,
  { token }: Share,
  view: DownloadView,
): Promise<TransferFile[]> {
  const files = [...(view.files ?? [])];
  const fetchPage = (cursor: string) =>
    retries.run(
      () => api.callPage(listDownloadFiles, { params: { token }, query: { cursor }, signal }),
      signal,
    );
  for await (const page of fetchPages(view.nextFiles, fetchPage)) for (const file of page) files.push(file);
  return files;
}

/** Stores the cookie that opens the transfer in `api`. Throws ApiError `wrong_password`. */
async function unlock({ api, retries, signal }: Visit, token: string, password: string): Promise<void> {
  const call = { params: { token }, body: { password }, signal };
  await retries.run(() => api.call(verifyDownload, call), signal);
}

async function askForPassword(): Promise<string> {
  if (process.stdin.isTTY) return await readSecret('Password: ');
  throw new CommandError(
    EXIT.refused,
    `${errorMessage('password_required')} Use --password or --password-stdin.`,
  );
}

export type FileChecksum = {
  name: string;
  /** Lower-case hex; undefined if the server has lost the file. */
  sha256: string | undefined;
};

/** In the order of the files. Throws ApiError (`checksums_pending` among others), NetworkError. */
export async function fetchChecksums(api: Api, token: string, signal: AbortSignal): Promise<FileChecksum[]> {
  const response = await api.send({ method: 'GET', path: checksumsPath(token), signal });
  return parseChecksums(await readText(response, MAX_CHECKSUM_BYTES));
}

/** Parses the format of `sha256sum`, in which a leading `\` marks an escaped name. */
export function parseChecksums(text: string): FileChecksum[] {
  return text.split('\n').flatMap((line) => {
    const damaged = /^# damaged: (.*)$/.exec(line)?.[1];
    if (damaged !== undefined) return { name: unescapeName(damaged), sha256: undefined };
    const [, escaped, sha256, name] = /^(\\?)([0-9a-f]{64})[ ][ *](.+)$/i.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) return [];
    return { name: escaped ? unescapeName(name) : name, sha256: sha256.toLowerCase() };
  });
}

function unescapeName(name: string): string {
  return name.replace(/\\([\\nr])/g, (_all, character: string) =>
    character === 'n' ? '\n' : character === 'r' ? '\r' : '\\',
  );
}
