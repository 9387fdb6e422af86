import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TransferFile } from '../../../../../contracts/transfers/transfers.ts';
import { isWithheld } from '../file-actions.ts';

export type FileChoice = {
  /** In the transfer's order, without files that were deleted or damaged meanwhile. */
  files: TransferFile[];
  chosen: Chosen;
  set: (files: readonly TransferFile[], isChosen: boolean) => void;
  /** One file, or with `isRange` all since the last selected one, in the order `shown`. */
  setOne: (file: TransferFile, options: SetOneOptions) => void;
  /** Includes files that are not loaded yet. */
  setAll: (isChosen: boolean) => void;
  /** Files that load later are selected too. */
  includesLater: boolean;
  clear: () => void;
};

type SetOneOptions = { isChosen: boolean; isRange: boolean; shown: readonly TransferFile[] };

const NOTHING: Chosen = new Set();

/** The selected files. */
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

/** IDs of the selected files. */
type Chosen = ReadonlySet<string>;

type ChoiceState = 'none' | 'some' | 'all';

/** State of a checkbox for these files; 'none' without files. */
export function stateOfChoice(files: readonly TransferFile[], chosen: Chosen): ChoiceState {
  const count = files.filter(({ id }) => chosen.has(id)).length;
  if (count === 0) return 'none';
  return count === files.length ? 'all' : 'some';
}

/** Adds or removes files. */
export function choose(chosen: Chosen, files: readonly TransferFile[], isChosen: boolean): Chosen {
  const next = new Set(chosen);
  for (const { id } of files) {
    if (isChosen) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** Both files and all between them in the visible order; only the second if the first is no longer visible. */
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

/** In bytes. */
export function sumSizes(files: readonly TransferFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
