import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';

/** Which files of a transfer a person has chosen, by id. */
export type Chosen = ReadonlySet<string>;

export type ChoiceState = 'none' | 'some' | 'all';

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

/** Both files and all between them, in the order shown; only the second when the first is not shown any more. */
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
