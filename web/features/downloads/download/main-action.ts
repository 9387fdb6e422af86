import { t } from '@lingui/core/macro';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { Arrival } from '../arrival/use-arrival.ts';
import type { ShareAddress } from '../share-address.ts';
import type { OpenView } from '../states/view-state.ts';
import type { Downloads, DownloadTarget } from './use-downloads.ts';

/** The page's main button, drawn by the well and the bottom bar. */
export type MainAction = {
  label: string;
  /** The size of the download. */
  detail: string;
  isPreparing: boolean;
  onStart: () => void;
};

/** The zip of all files, or the only file; undefined without files. */
export function mainAction(
  share: ShareAddress,
  view: OpenView,
  downloads: Downloads,
): MainAction | undefined {
  const target = mainTarget(share, view);
  if (!target) return undefined;
  const { zipSize, totalSize = 0 } = view;
  return {
    label: view.arrival ? t`Start now` : target.isZip ? t`Download All Files` : t`Download`,
    detail: target.isZip && zipSize ? t`${formatSize(zipSize)} zip` : formatSize(totalSize),
    isPreparing: downloads.isPreparing(target.path),
    onStart: () => void downloads.start(target),
  };
}

/** For files that can't be downloaded before they are whole. */
export function waitAction({ totalSize = 0 }: OpenView, { isWaiting, setWaiting }: Arrival): MainAction {
  return {
    label: t`Download when it’s all here`,
    detail: formatSize(totalSize),
    isPreparing: isWaiting,
    onStart: () => setWaiting(true),
  };
}

export function mainTarget(
  { token, recipientToken }: ShareAddress,
  { files, arrival }: OpenView,
): DownloadTarget | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length > 1) return { path: zipDownloadPath(token, recipientToken), isZip: true };
  // Some servers can't read a file before it is whole.
  if (first.state === 'arriving' && arrival?.startsEarly === false) return undefined;
  return { path: fileDownloadPath(token, first.id, recipientToken), isZip: false };
}
