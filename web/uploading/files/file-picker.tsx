import { t } from '@lingui/core/macro';
import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { type FilePick, type PickKind, pickWithHandles, readFileList } from './picked-files.ts';

type Options = {
  onPick: (pick: FilePick) => void;
  onFailed: () => void;
};

type FilePicker = {
  /** Opens the browser's picker (only within a click). */
  choose: (kind: PickKind, receive?: (pick: FilePick) => void) => Promise<void>;
  /** Must be on the page. */
  inputs: ReactNode;
};

/** The browser's picker for files and folders, with handles where it has them. */
export function useFilePicker({ onPick, onFailed }: Options): FilePicker {
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
  const readInput = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const pick = readFileList(target.files ?? []);
    // Otherwise selecting the same file again would fire no event.
    target.value = '';
    receiver.current(pick);
    receiver.current = onPick;
  };
  return {
    choose,
    inputs: (
      <>
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
      </>
    ),
  };
}
