import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FolderUp, Plus, Upload } from 'lucide-react';
import { type Ref, useImperativeHandle } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/actions/button.tsx';
import { Skeleton } from '../../components/feedback/skeleton.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { classNames } from '../../lib/class-names.ts';
import { useFilePicker } from './file-picker.tsx';
import type { FilePick, PickKind } from './picked-files.ts';

export type DropzoneHandle = {
  /** Opens the browser's picker (only within a click) and passes the files to `receive`. */
  choose(kind: PickKind, receive: (pick: FilePick) => void): void;
};

type DropzoneProps = {
  /** Bytes per transfer; undefined while the limit loads. */
  maxBytes: number | undefined;
  /** A slim bar, because files are listed already. */
  isCompact: boolean;
  /** Dropped folders are being read. */
  isReading: boolean;
  onPick: (pick: FilePick) => void;
  onFailed: () => void;
  ref: Ref<DropzoneHandle>;
};

/** Files can be dropped anywhere on the page or selected with a button. */
export function Dropzone({ maxBytes, isCompact, isReading, onPick, onFailed, ref }: DropzoneProps) {
  const { choose, inputs } = useFilePicker({ onPick, onFailed });
  useImperativeHandle(ref, () => ({ choose }));
  const size = isCompact ? 'sm' : 'lg';
  return (
    <section
      aria-label={t`Choose files`}
      className={classNames(
        'relative isolate overflow-hidden rounded-xl border border-dashed border-edge',
        isCompact
          ? 'flex flex-wrap items-center justify-between gap-3 py-3 pr-3 pl-5'
          : 'flex flex-col items-center px-gutter py-14 text-center sm:py-20',
      )}
    >
      {isCompact ? (
        <p className="text-ink-soft">
          {isReading ? t`Reading files…` : t`Drop more files anywhere on this page`}
        </p>
      ) : (
        <Invitation maxBytes={maxBytes} isReading={isReading} />
      )}
      <div className={classNames('flex flex-wrap gap-3', isCompact ? '' : 'mt-8 justify-center')}>
        <Button
          size={size}
          data-focus-home
          variant={isCompact ? 'secondary' : 'primary'}
          icon={isCompact ? <Plus /> : <Upload />}
          onClick={() => choose('files')}
        >
          <Trans>Browse Files</Trans>
        </Button>
        <Button size={size} variant="secondary" icon={<FolderUp />} onClick={() => choose('folder')}>
          <Trans>Upload Folder</Trans>
        </Button>
      </div>
      {inputs}
    </section>
  );
}

function Invitation({ maxBytes, isReading }: Pick<DropzoneProps, 'maxBytes' | 'isReading'>) {
  return (
    <>
      <Ripples
        motion="arrive"
        count={8}
        className="absolute top-[5.5rem] left-1/2 -z-10 size-[52rem] -translate-x-1/2 -translate-y-1/2 sm:top-[7rem]"
      />
      <span className="grid size-16 place-items-center rounded-full border border-line-firm bg-canvas text-accent-ink">
        <Upload aria-hidden="true" className="size-7" />
      </span>
      <h2 className="mt-8 text-3xl">{isReading ? t`Reading files…` : t`Drop files here`}</h2>
      <p className="mt-2 text-ink-soft">
        <Trans>Or whole folders, anywhere on this page.</Trans>
      </p>
      <p className="mt-1 flex min-h-5 items-center text-sm text-ink-faint">
        {maxBytes === undefined ? (
          <Skeleton className="h-4 w-40" />
        ) : (
          <Trans>Maximum file size: {formatSize(maxBytes)}</Trans>
        )}
      </p>
    </>
  );
}
