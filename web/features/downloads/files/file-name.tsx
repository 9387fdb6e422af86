import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { FileNameText } from '../../../components/data/file-name-text.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { type FileActions, isPreviewable, nameFileAction } from './file-actions.ts';

type FileNameProps = FileActions & {
  file: TransferFile;
  /** The id of the element with details. */
  describedBy: string;
  /** Shows the whole name on several lines instead of cutting it. */
  isWhole?: boolean;
  className: string;
};

/** Its click area covers the nearest positioned ancestor: a row, a card. */
const STRETCHED =
  'after:absolute after:inset-0 after:rounded-[inherit] focus-visible:outline-none focus-visible:after:outline-2 ' +
  'focus-visible:after:-outline-offset-2 focus-visible:after:outline-ink';

/** Opens the preview if the file has one, otherwise its details. */
export function FileName({ file, describedBy, isWhole, className, ...actions }: FileNameProps) {
  const { onPreview, onDetails } = actions;
  const name = file.originalName;
  return (
    <button
      type="button"
      aria-label={nameFileAction(file)}
      aria-describedby={describedBy}
      className={classNames(className, STRETCHED, 'block max-w-full min-w-0 text-left')}
      onClick={() => (isPreviewable(file) ? onPreview(file) : onDetails(file))}
    >
      {isWhole ? <bdi>{name}</bdi> : <FileNameText name={name} />}
    </button>
  );
}
