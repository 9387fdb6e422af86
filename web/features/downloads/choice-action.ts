import { fileDownloadPath, selectionDownloadPath, zipDownloadPath } from '../../../contracts/links.ts';
import { encodeSelection } from '../../../contracts/selection.ts';
import { formatSize } from '../../../contracts/sizes.ts';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { sumSizes } from './choice.ts';
import type { MainAction } from './main-action.ts';
import type { ShareAddress } from './share-address.ts';
import type { Downloads, DownloadTarget } from './use-downloads.ts';
import { countFiles, type OpenView } from './view-state.ts';

/** The download of what was chosen, as the bar shows it. */
export type ChoiceAction = MainAction;

/** One file as it is, several as a zip, all of them as the zip of all; undefined when nothing is chosen. */
export function choiceAction(
  share: ShareAddress,
  { view, files, downloads }: { view: OpenView; files: TransferFile[]; downloads: Downloads },
): ChoiceAction | undefined {
  const target = choiceTarget(share, view, files);
  if (!target) return undefined;
  return {
    label: `Download ${countFiles(files.length)} (${formatSize(sumSizes(files))})`,
    detail: `${files.length.toLocaleString('en')} of ${countFiles(view.files.length)} chosen`,
    isPreparing: downloads.isPreparing(target.path),
    onStart: () => void downloads.start(target),
  };
}

function choiceTarget(
  { token, recipientToken }: ShareAddress,
  view: OpenView,
  files: TransferFile[],
): DownloadTarget | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length === 1) return { path: fileDownloadPath(token, first.id, recipientToken), isZip: false };
  if (files.length === view.files.length)
    return { path: zipDownloadPath(token, recipientToken), isZip: true };
  const selection = encodeSelection(files.map(({ position }) => position));
  return { path: selectionDownloadPath(token, selection, recipientToken), isZip: true };
}
