import { t } from '@lingui/core/macro';
import { ERRORS } from '../../../../contracts/errors.ts';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { translateSentence } from '../../../lib/language/sentences.ts';
import { isUsedUp } from '../states/view-state.ts';

/**
 * Checks whether a download would succeed, without counting it: HEAD never counts. A refused navigation would replace
 * the page by a plain sentence. Returns the HTTP status, 0 if the server is unreachable.
 */
export async function askForDownload(path: string): Promise<number> {
  try {
    const response = await fetch(path, { method: 'HEAD', credentials: 'same-origin', cache: 'no-store' });
    return response.status;
  } catch {
    return 0;
  }
}

/** Starts the browser's own download, which streams to disk and can resume. */
export function navigateToDownload(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}

/** The message for a refused download; `view` is the current transfer, if it could be fetched. */
export function explainRefusal(
  status: number,
  { isZip, isBag = false, view }: { isZip: boolean; isBag?: boolean; view: DownloadView | undefined },
): string {
  if (status === 503 && isBag) return translateSentence(ERRORS.checksums_pending.message);
  if (status === 410) return translateSentence(explainGone(view).message);
  if (status === 423) return translateSentence(explainLocked(view).message);
  if (status === 404) return translateSentence(ERRORS.transfer_not_found.message);
  return t`Failed to download ${isZip ? 'files' : 'file'}. Please try again.`;
}

function explainLocked(view: DownloadView | undefined): { message: string } {
  if (view?.availableAt) return ERRORS.not_yet_available;
  if (view?.isChecking) return ERRORS.transfer_checking;
  return view?.unlocked === true ? ERRORS.file_checking : ERRORS.password_required;
}

/** A file that is neither expired nor used up is damaged. */
function explainGone(view: DownloadView | undefined): { message: string } {
  if (view?.isExpired) return ERRORS.transfer_expired;
  if (view?.hasDamagedFiles && !isUsedUp(view)) return ERRORS.file_damaged;
  return ERRORS.transfer_used_up;
}
