import { useCallback, useMemo, useRef, useState } from 'react';
import type { TransferFile } from '../../../contracts/transfers.ts';
import { type Chosen, choose, filesBetween } from './choice.ts';

export type FileChoice = {
  /** In the transfer's order. Files that are gone or damaged meanwhile are left out. */
  files: TransferFile[];
  chosen: Chosen;
  set: (files: readonly TransferFile[], isChosen: boolean) => void;
  /** One file, or with `isRange` all from the one chosen last to this, in the order `shown`. */
  setOne: (file: TransferFile, options: SetOneOptions) => void;
  clear: () => void;
};

type SetOneOptions = { isChosen: boolean; isRange: boolean; shown: readonly TransferFile[] };

const NOTHING: Chosen = new Set();

/** The files that a person has ticked. */
export function useFileChoice(files: readonly TransferFile[]): FileChoice {
  const [chosen, setChosen] = useState(NOTHING);
  const lastId = useRef<string | undefined>(undefined);
  const set = useCallback((some: readonly TransferFile[], isChosen: boolean) => {
    setChosen((current) => choose(current, some, isChosen));
  }, []);
  const setOne = useCallback(
    (file: TransferFile, { isChosen, isRange, shown }: SetOneOptions) => {
      set(isRange ? filesBetween(shown, lastId.current, file) : [file], isChosen);
      lastId.current = file.id;
    },
    [set],
  );
  const clear = useCallback(() => setChosen(NOTHING), []);
  const chosenFiles = useMemo(
    () => files.filter((file) => chosen.has(file.id) && canBeChosen(file)),
    [files, chosen],
  );
  return { files: chosenFiles, chosen, set, setOne, clear };
}

export function canBeChosen({ isDamaged }: TransferFile): boolean {
  return !isDamaged;
}
