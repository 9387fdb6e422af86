import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { isWithheld } from './file-actions.ts';

export type FileChoice = {
  /** In the transfer's order. Files that are gone or damaged meanwhile are left out. */
  files: TransferFile[];
  chosen: Chosen;
  set: (files: readonly TransferFile[], isChosen: boolean) => void;
  /** One file, or with `isRange` all from the one chosen last to this, in the order `shown`. */
  setOne: (file: TransferFile, options: SetOneOptions) => void;
  /** Ticks every file, also those that are still to be loaded; or none. */
  setAll: (isChosen: boolean) => void;
  /** Files that are loaded from now on are ticked as they come. */
  includesLater: boolean;
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
  const [includesLater, setIncludesLater] = useState(false);
  const setAll = useCallback(
    (isChosen: boolean) => {
      setChosen(isChosen ? choose(NOTHING, files.filter(canBeChosen), true) : NOTHING);
      setIncludesLater(isChosen);
    },
    [files],
  );
  const clear = useCallback(() => setAll(false), [setAll]);
  const listedCount = useRef(files.length);
  useEffect(() => {
    const later = files.slice(listedCount.current);
    listedCount.current = files.length;
    if (includesLater && later.length > 0) set(later.filter(canBeChosen), true);
  }, [files, includesLater, set]);
  const chosenFiles = useMemo(
    () => files.filter((file) => chosen.has(file.id) && canBeChosen(file)),
    [files, chosen],
  );
  return { files: chosenFiles, chosen, set, setOne, setAll, includesLater, clear };
}

export function canBeChosen(file: TransferFile): boolean {
  return !isWithheld(file);
}

/** Which files of a transfer a person has chosen, by id. */
type Chosen = ReadonlySet<string>;

type ChoiceState = 'none' | 'some' | 'all';

/** What a box that stands for these files shows; 'none' for no files. */
export function stateOfChoice(files: readonly TransferFile[], chosen: Chosen): ChoiceState {
  const count = files.filter(({ id }) => chosen.has(id)).length;
  if (count === 0) return 'none';
  return count === files.length ? 'all' : 'some';
}

/** The choice with all of these files in it, or without them. */
export function choose(chosen: Chosen, files: readonly TransferFile[], isChosen: boolean): Chosen {
  const next = new Set(chosen);
  for (const { id } of files) {
    if (isChosen) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** Both files and all between them, in the order shown; only the second when the first is no longer shown. */
export function filesBetween(
  shown: readonly TransferFile[],
  fromId: string | undefined,
  file: TransferFile,
): TransferFile[] {
  const from = shown.findIndex(({ id }) => id === fromId);
  const to = shown.findIndex(({ id }) => id === file.id);
  if (from < 0 || to < 0) return [file];
  return shown.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** Bytes of all of them together. */
export function sumSizes(files: readonly TransferFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
