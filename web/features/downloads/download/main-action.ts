import { t } from '@lingui/core/macro';
import { fileDownloadPath, zipDownloadPath } from '../../../../contracts/values/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
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
    label: target.isZip ? t`Download All Files` : t`Download`,
    detail: target.isZip && zipSize ? t`${formatSize(zipSize)} zip` : formatSize(totalSize),
    isPreparing: downloads.isPreparing(target.path),
    onStart: () => void downloads.start(target),
  };
}

export function mainTarget(
  { token, recipientToken }: ShareAddress,
  { files }: OpenView,
): DownloadTarget | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length > 1) return { path: zipDownloadPath(token, recipientToken), isZip: true };
  return { path: fileDownloadPath(token, first.id, recipientToken), isZip: false };
}
