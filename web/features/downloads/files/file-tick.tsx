import { t } from '@lingui/core/macro';
import { type ChangeEvent, type MouseEvent, useId } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { TickBox } from '../../../components/form/tick-box.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { canBeChosen, type FileChoice } from './use-file-choice.ts';

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
