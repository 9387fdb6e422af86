import { type DownloadView, verifyDownload, viewDownload } from '../../contracts/downloads.ts';
import { errorMessage } from '../../contracts/errors.ts';
import type { TransferFile } from '../../contracts/transfers.ts';
import { CommandError, EXIT } from '../exits.ts';
import type { Api } from '../http/api.ts';
import type { Patience } from '../http/patience.ts';
import { readSecret } from '../read-secret.ts';
import type { Share } from './share.ts';

type Visit = { api: Api; patience: Patience; signal: AbortSignal };
export type OpenView = DownloadView & { files: TransferFile[] };

/** What the link shows, once the password has opened it. Throws ApiError, CommandError. */
export async function openShare(visit: Visit, share: Share, password: string | undefined): Promise<OpenView> {
  const { api, patience, signal } = visit;
  const { token, recipientToken: r } = share;
  const look = () =>
    patience.insist(() => api.call(viewDownload, { params: { token }, query: { r }, signal }), signal);
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
  return { ...view, files: view.files ?? [] };
}

/** The cookie that opens the transfer is kept by `api`. Throws ApiError `wrong_password`. */
async function unlock({ api, patience, signal }: Visit, token: string, password: string): Promise<void> {
  const call = { params: { token }, body: { password }, signal };
  await patience.insist(() => api.call(verifyDownload, call), signal);
}

async function askForPassword(): Promise<string> {
  if (process.stdin.isTTY) return await readSecret('Password: ');
  throw new CommandError(
    EXIT.refused,
    `${errorMessage('password_required')} Give --password or --password-stdin.`,
  );
}
