import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FolderUp, Plus, Upload } from 'lucide-react';
import { type ChangeEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/actions/button.tsx';
import { Ripples } from '../../components/layout/ripples.tsx';
import { classNames } from '../../lib/class-names.ts';
import { carriesFiles } from './dropped-items.ts';
import { type FilePick, type PickKind, pickWithHandles, readFileList } from './picked-files.ts';

export type DropzoneHandle = {
  /** Opens the browser's picker (only within a click) and passes the files to `receive`. */
  choose(kind: PickKind, receive: (pick: FilePick) => void): void;
};

type DropzoneProps = {
  /** Bytes per transfer. */
  maxBytes: number;
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
  const inputs = { files: useRef<HTMLInputElement>(null), folder: useRef<HTMLInputElement>(null) };
  const receiver = useRef(onPick);
  const choose = async (kind: PickKind, receive = onPick) => {
    receiver.current = receive;
    try {
      const pick = await pickWithHandles(kind);
      if (pick === 'unavailable') inputs[kind].current?.click();
      else if (pick) receive(pick);
    } catch {
      onFailed();
    }
  };
  useImperativeHandle(ref, () => ({ choose }));
  const readInput = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const pick = readFileList(target.files ?? []);
    // Otherwise selecting the same file again would fire no event.
    target.value = '';
    receiver.current(pick);
    receiver.current = onPick;
  };
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
      <input
        ref={inputs.files}
        type="file"
        multiple
        hidden
        aria-label={t`Files`}
        data-testid="file-input"
        onChange={readInput}
      />
      <input
        ref={inputs.folder}
        type="file"
        multiple
        hidden
        {...{ webkitdirectory: '' }}
        aria-label={t`Folder`}
        data-testid="folder-input"
        onChange={readInput}
      />
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
      <p className="mt-1 text-sm text-ink-faint">
        <Trans>Maximum file size: {formatSize(maxBytes)}</Trans>
      </p>
    </>
  );
}

/** Covers the window while files hover over it. Rendered in the body, because the page's columns have their own stacking order. */
export function DropVeil({ isRefused }: { isRefused: boolean }) {
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-50 grid animate-fade-in place-items-center bg-veil p-4">
      <div
        className={classNames(
          'relative isolate grid size-full place-items-center overflow-hidden rounded-xl border-2 border-dashed bg-raised px-6 text-center text-balance',
          isRefused ? 'border-edge' : 'border-accent-ink',
        )}
      >
        {!isRefused && (
          <Ripples
            motion="flow"
            tone="accent"
            count={6}
            className="absolute top-1/2 left-1/2 -z-10 size-[70rem] -translate-x-1/2 -translate-y-1/2"
          />
        )}
        <p className="font-heading text-3xl">
          {isRefused ? t`You can add files when this upload has finished` : t`Drop to add`}
        </p>
      </div>
    </div>,
    document.body,
  );
}

/** Calls `onDrop` for files dropped anywhere in the window. Returns whether files hover over it. */
export function useFileDrop(onDrop: (transfer: DataTransfer) => void): boolean {
  const [isHovering, setHovering] = useState(false);
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setHovering(true);
    };
    const leave = (event: DragEvent) => {
      // Null only when the pointer leaves the window.
      if (event.relatedTarget === null) setHovering(false);
    };
    const drop = (event: DragEvent) => {
      setHovering(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      onDrop(event.dataTransfer!);
    };
    // Pointer events mean that nothing is dragged; some browsers don't report a cancelled drag.
    const move = () => setHovering(false);
    const events = {
      dragenter: hover,
      dragover: hover,
      dragleave: leave,
      drop,
      pointermove: move,
    } as const;
    for (const [name, listener] of Object.entries(events))
      window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(events))
        window.removeEventListener(name, listener as EventListener);
    };
  }, [onDrop]);
  return isHovering;
}
