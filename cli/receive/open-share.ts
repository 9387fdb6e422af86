import type { Retries } from '../../client/retries.ts';
import { errorMessage } from '../../contracts/errors.ts';
import {
  type DownloadView,
  listDownloadFiles,
  verifyDownload,
  viewDownload,
} from '../../contracts/transfers/downloads.ts';
import { fetchPages } from '../../contracts/transfers/file-pages.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { CommandError, EXIT } from '../exits.ts';
import type { Api } from '../http/api.ts';
import { readSecret } from '../read-input.ts';
import type { Share } from './share.ts';

type Visit = { api: Api; retries: Retries; signal: AbortSignal };

/** What the link shows, once the password has opened it. Throws ApiError, CommandError. */
export async function openShare(
  visit: Visit,
  share: Share,
  password: string | undefined,
): Promise<DownloadView> {
  const { api, retries, signal } = visit;
  const { token, recipientToken: r } = share;
  const look = () =>
    retries.run(() => api.call(viewDownload, { params: { token }, query: { r }, signal }), signal);
  let view = await look();
  if (view.isPasswordProtected && !view.unlocked) {
    await unlock(visit, token, password ?? (await askForPassword()));
    view = await look();
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

/** All files of an opened transfer: those of the view and of the pages that follow. Throws ApiError. */
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

/** The cookie that opens the transfer is kept by `api`. Throws ApiError `wrong_password`. */
async function unlock({ api, retries, signal }: Visit, token: string, password: string): Promise<void> {
  const call = { params: { token }, body: { password }, signal };
  await retries.run(() => api.call(verifyDownload, call), signal);
}

async function askForPassword(): Promise<string> {
  if (process.stdin.isTTY) return await readSecret('Password: ');
  throw new CommandError(
    EXIT.refused,
    `${errorMessage('password_required')} Give --password or --password-stdin.`,
  );
}
