import type { Retries } from '../../client/retries.ts';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { readSecret } from '../../command-line/prompts.ts';
import { errorMessage } from '../../contracts/errors.ts';
import {
  type DownloadView,
  listDownloadFiles,
  verifyDownload,
  viewDownload,
} from '../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { checksumsPath, ID_PATTERN } from '../../contracts/values/addresses/links.ts';
import { fetchPages } from '../../contracts/values/paging.ts';
import type { TransferKeys } from '../../encryption/keys.ts';
import { needsPassword } from '../../encryption/keys.ts';
import { parseKey } from '../../encryption/link.ts';
import { parseServer } from '../account.ts';
import { deriveLinkKeys, type LinkKeys, type LinkSecret, missingKeyError } from '../encrypted/link-keys.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';

/** Some mail gateways replace `#` with `%23`, which makes the key part of the path. */
const LINK_PATH = /^(.*)\/(?:download|e)\/([0-9a-z]{26})(?:(?:\/|%(?:25)*23).*)?$/;
const MAX_CHECKSUM_BYTES = 256 * 1024 * 1024;

export type Share = {
  server: string;
  token: string;
  /** From a recipient's personal link. */
  recipientToken: string | undefined;
  /** From the link of an encrypted transfer; undefined if it has none. */
  linkSecret: LinkSecret | undefined;
};

export type Visit = { api: Api; retries: Retries; signal: AbortSignal };

/** Parses a link copied from an email or an address bar, or a bare token of `server`. Throws CommandError. */
export function parseShare(text: string, server: string | undefined): Share {
  const linkSecret = parseKey(text);
  const [bare = ''] = text.split('#');
  if (ID_PATTERN.test(bare))
    return { server: parseServer(server), token: bare, recipientToken: undefined, linkSecret };
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  const [, base, token] = LINK_PATH.exec(url?.pathname ?? '') ?? [];
  if (!url || token === undefined) throw usageError(`“${withoutKey(text)}” is not a share link.`);
  const [recipient = ''] = url.searchParams.get('r')?.split('#') ?? [];
  return {
    server: url.origin + (base === '/api' ? '' : base),
    token,
    recipientToken: ID_PATTERN.test(recipient) ? recipient : undefined,
    linkSecret,
  };
}

export function isShare(text: string): boolean {
  return ID_PATTERN.test(text.split('#')[0]!) || /\/(download|e)\/[0-9a-z]{26}/.test(text);
}

/** A message may end up in a log. */
function withoutKey(text: string): string {
  return text.replace(/(#|%23).*/, '');
}

export type OpenedShare = {
  view: DownloadView;
  /** Of an encrypted transfer. */
  sealed: (LinkKeys & { keys: TransferKeys }) | undefined;
};

/**
 * Fetches the view of a transfer, and unlocks it with the password or the key if it needs one. Throws ApiError, or
 * CommandError if the transfer is not available, or its password or key is missing or wrong.
 */
export async function openShare(
  visit: Visit,
  share: Share,
  password: string | undefined,
): Promise<OpenedShare> {
  const { api, retries, signal } = visit;
  const { token, recipientToken: r, linkSecret } = share;
  const fetchView = () =>
    retries.run(() => api.call(viewDownload, { params: { token }, query: { r }, signal }), signal);
  let view = await fetchView();
  const { encryption: params } = view;
  let sealed: OpenedShare['sealed'];
  if (params) {
    if (!linkSecret) throw missingKeyError();
    const secret = needsPassword(params) ? (password ?? (await askForPassword())) : undefined;
    const linkKeys = { linkSecret, password: secret, params };
    sealed = { ...linkKeys, keys: await deriveLinkKeys(linkKeys) };
    await unlock(visit, token, { accessKey: sealed.keys.accessKey });
    view = await fetchView();
  } else if (view.isPasswordProtected && !view.unlocked) {
    await unlock(visit, token, { password: password ?? (await askForPassword()) });
    view = await fetchView();
  }
  if (view.isStopped) throw new CommandError(EXIT.refused, errorMessage('upload_stopped'));
  if (view.isExpired) throw new CommandError(EXIT.refused, errorMessage('transfer_expired'));
  if (view.availableAt !== undefined) {
    const when = new Date(view.availableAt).toLocaleString('en-GB');
    throw new CommandError(EXIT.refused, `This transfer is not available before ${when}.`, {
      availableAt: view.availableAt,
    });
  }
  // A server that removes the encryption must not go unnoticed.
  if (linkSecret && !sealed)
    throw new CommandError(
      EXIT.failed,
      'This link is that of an encrypted transfer, but the server has an unencrypted one. Ask the sender.',
    );
  return { view, sealed };
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

/** Stores the cookie that opens the transfer in `api`. Throws ApiError `wrong_password`, `wrong_access_key`. */
export async function unlock(
  { api, retries, signal }: Visit,
  token: string,
  { password, accessKey }: { password?: string; accessKey?: string },
): Promise<void> {
  const call = { params: { token }, body: { password, accessKey }, signal };
  await retries.run(() => api.call(verifyDownload, call), signal);
}

export async function askForPassword(): Promise<string> {
  if (process.stdin.isTTY) return await readSecret('Password: ');
  throw new CommandError(
    EXIT.refused,
    `${errorMessage('password_required')} Use --password or --password-stdin.`,
  );
}

export type FileChecksum = {
  name: string;
  /** Lower-case hex; undefined if the server has lost the file, or the sender of an encrypted one computed none. */
  sha256: string | undefined;
  /** Set only for an encrypted file. */
  crc32?: number | undefined;
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
