import { plural } from '@lingui/core/macro';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';

/** A view that includes files. */
export type OpenView = DownloadView & { files: TransferFile[] };

/** States of the page, in the order in which the server decides them. */
export type ViewState =
  | { kind: 'expired' }
  | { kind: 'checking' }
  | { kind: 'locked' }
  | { kind: 'stopped' }
  | { kind: 'scheduled'; availableAt: string }
  | { kind: 'open'; view: OpenView };

/** Uses the server's time, because this device's clock may be wrong. */
export function findViewState(view: DownloadView): ViewState {
  if (view.isExpired) return { kind: 'expired' };
  if (view.isChecking) return { kind: 'checking' };
  if (view.isPasswordProtected && !view.unlocked) return { kind: 'locked' };
  if (view.isStopped) return { kind: 'stopped' };
  if (view.availableAt) return { kind: 'scheduled', availableAt: view.availableAt };
  return { kind: 'open', view: { ...view, files: view.files ?? [] } };
}

/** Whether the download limit is reached. */
export function isUsedUp({ maxDownloads, downloadCount = 0 }: DownloadView): boolean {
  return typeof maxDownloads === 'number' && downloadCount >= maxDownloads;
}

/** '12 files · 3.4 GB' */
export function describeContent({ fileCount = 0, totalSize = 0 }: DownloadView): string {
  return `${plural(fileCount, { one: '# file', other: '# files' })} · ${formatSize(totalSize)}`;
}
