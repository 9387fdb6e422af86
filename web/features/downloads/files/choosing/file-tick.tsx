import { t } from '@lingui/core/macro';
import { type ChangeEvent, type MouseEvent, useId, useMemo } from 'react';
import type { TransferFile } from '../../../../../contracts/transfers/transfers.ts';
import { TickBox } from '../../../../components/form/tick-box.tsx';
import { classNames } from '../../../../lib/class-names.ts';
import { canBeChosen, type FileChoice, stateOfChoice } from './use-file-choice.ts';

type FileTickProps = {
  file: TransferFile;
  choice: FileChoice;
  /** All visible files in their order. */
  shown: readonly TransferFile[];
  className?: string;
};

/** Selects a file; with Shift, all files since the last selected one. Its 40 px are above the row's link. */
export function FileTick({ file, choice, shown, className }: FileTickProps) {
  const id = useId();
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) =>
    choice.setOne(file, {
      isChosen: target.checked,
      isRange: nativeEvent instanceof globalThis.MouseEvent && nativeEvent.shiftKey,
      shown,
    });
  return (
    <label
      htmlFor={id}
      className={classNames(
        'relative z-1 grid size-10 shrink-0 cursor-pointer place-items-center',
        className,
      )}
      onMouseDown={keepTextUnmarked}
    >
      <TickBox
        id={id}
        aria-label={t`Select ${file.originalName}`}
        checked={choice.chosen.has(file.id) && canBeChosen(file)}
        disabled={!canBeChosen(file)}
        onChange={change}
      />
    </label>
  );
}

/** Browsers select the text between two clicks with Shift. */
function keepTextUnmarked(event: MouseEvent): void {
  if (event.shiftKey) event.preventDefault();
}

type FilesTickProps = {
  /** The accessible name, unless `id` belongs to a label. */
  label?: string;
  id?: string;
  files: readonly TransferFile[];
  choice: FileChoice;
  /** Includes files that are not loaded yet. */
  isForAll?: boolean;
};

/** Selects several files; mixed if only some are selected. */
export function FilesTick({ label, id, files, choice, isForAll = false }: FilesTickProps) {
  const available = useMemo(() => files.filter(canBeChosen), [files]);
  const state = stateOfChoice(available, choice.chosen);
  return (
    <TickBox
      id={id}
      aria-label={label}
      checked={state === 'all'}
      isMixed={state === 'some'}
      disabled={available.length === 0}
      onChange={() => (isForAll ? choice.setAll(state !== 'all') : choice.set(available, state !== 'all'))}
    />
  );
}
