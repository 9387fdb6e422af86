import { plural, t } from '@lingui/core/macro';
import { encodeSelection, SELECTION_MAX } from '../../../../../contracts/transfers/downloads/selection.ts';
import type { TransferFile } from '../../../../../contracts/transfers/transfers.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../../../contracts/values/addresses/links.ts';
import { formatCount } from '../../../../../contracts/values/format.ts';
import { formatSize } from '../../../../../contracts/values/sizes.ts';
import type { FilesLoading } from '../../../../api/use-all-files.ts';
import { toast } from '../../../../components/feedback/toast.ts';
import type { MainAction } from '../../download/main-action.ts';
import type { Downloads, DownloadTarget } from '../../download/use-downloads.ts';
import type { ShareAddress } from '../../share-address.ts';
import type { OpenView } from '../../states/view-state.ts';
import { type FileChoice, sumSizes } from './use-file-choice.ts';

export type Choosing = {
  view: OpenView;
  choice: Pick<FileChoice, 'files' | 'includesLater'>;
  loading: Pick<FilesLoading, 'state'>;
  downloads: Downloads;
};

/** One file as it is, several as a zip, all of them as the complete zip; undefined without a selection. */
export function choiceAction(
  share: ShareAddress,
  { view, choice: { files, includesLater }, loading, downloads }: Choosing,
): MainAction | undefined {
  const target = choiceTarget(share, view, files);
  if (!target) return undefined;
  const isIncomplete = includesLater && loading.state === 'loading';
  return {
    label: t`Download ${plural(files.length, { one: '# file', other: '# files' })} (${formatSize(sumSizes(files))})`,
    detail: t`${formatCount(files.length)} of ${plural(view.fileCount ?? view.files.length, { one: '# file', other: '# files' })} selected`,
    isPreparing: isIncomplete || (target !== 'too large' && downloads.isPreparing(target.path)),
    onStart: () => {
      if (target === 'too large') toast(TOO_LARGE);
      else if (!isIncomplete) void downloads.start(target);
    },
  };
}

const TOO_LARGE = {
  title: t`Too many files for one download`,
  description: t`Please select fewer files, or download all of them.`,
  variant: 'destructive',
} as const;

function choiceTarget(
  { token, recipientToken }: ShareAddress,
  view: OpenView,
  files: TransferFile[],
): DownloadTarget | 'too large' | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length === 1) return { path: fileDownloadPath(token, first.id, recipientToken), isZip: false };
  if (files.length === (view.fileCount ?? view.files.length))
    return { path: zipDownloadPath(token, recipientToken), isZip: true };
  const selection = encodeSelection(files.map(({ position }) => position));
  if (selection.length > SELECTION_MAX) return 'too large';
  return { path: selectionDownloadPath(token, selection, recipientToken), isZip: true };
}
