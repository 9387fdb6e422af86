import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { classNames } from '../../../lib/class-names.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { type FileActions, isPreviewable } from './file-actions.ts';

const useButton = lateModule(() => import('./share-button.tsx'));

/** Apps get the whole file from this page's memory. */
const SHARED_BYTES_MAX = 50 * MIB;

export type ShareFileProps = Pick<FileActions, 'share' | 'isDisabled'> & {
  file: TransferFile;
  /** Called after the download was counted. */
  onCounted: () => unknown;
  className?: string;
};

/** Hands the file to another app, where the browser can. Fetching it counts as a download. */
export function ShareFile({ file, isDisabled, className, ...props }: ShareFileProps) {
  const isOffered = !isDisabled && isPreviewable(file) && file.size <= SHARED_BYTES_MAX && canShare(file);
  const loaded = useButton(isOffered);
  if (!isOffered) return null;
  return (
    <div className={classNames('min-h-control-sm', className)}>
      {loaded && <loaded.ShareButton file={file} {...props} />}
    </div>
  );
}

/** Browsers decide by name and type. */
function canShare({ originalName, mimeType: type }: TransferFile): boolean {
  return navigator.canShare?.({ files: [new File([], originalName, { type })] }) ?? false;
}
