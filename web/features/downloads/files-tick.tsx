import { useMemo } from 'react';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import { TickBox } from '../../components/form/tick-box.tsx';
import { stateOfChoice } from './choice.ts';
import { canBeChosen, type FileChoice } from './use-file-choice.ts';

type FilesTickProps = {
  /** What it stands for; the name for assistive technology, unless `id` belongs to a label. */
  label?: string;
  id?: string;
  files: readonly TransferFile[];
  choice: FileChoice;
  /** It stands for every file, also those that are still to be loaded. */
  isForAll?: boolean;
};

/** Chooses several files at once: all, none, or a dash for some of them. */
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
