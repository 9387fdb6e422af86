import type { ZipEntryTable } from './entry-table.ts';
import {
  type DirectoryFacts,
  directoryRecordLength,
  endLength,
  localHeaderLength,
  writeDirectoryRecord,
  writeEnd,
  writeLocalHeader,
} from './records.ts';

/**
 * Positions in a zip, computed without reading the files: a pure function of the entries, so any range of the
 * archive can be produced on its own.
 */
export type ZipLayout<Table extends ZipEntryTable = ZipEntryTable> = {
  readonly entries: Table;
  /** Position of each local header; entry i's data ends at `headerStarts[i + 1]`. */
  readonly headerStarts: Float64Array;
  /** Position of each directory record; the last one is the start of the end records. */
  readonly recordStarts: Float64Array;
  readonly sizeBytes: number;
};

/** All entries must be named. Throws RangeError for a name too long for the format. */
export function layOutZip<Table extends ZipEntryTable>(entries: Table): ZipLayout<Table> {
  const { count } = entries;
  const lengthsOf = (index: number) => ({
    name: entries.nameBytes(index),
    data: entries.sizeOf(index),
    hasTimestamp: entries.hasTimestampAt(index),
  });
  const headerStarts = new Float64Array(count + 1);
  const recordStarts = new Float64Array(count + 1);
  let position = 0;
  for (let index = 0; index < count; index += 1) {
    headerStarts[index] = position;
    const lengths = lengthsOf(index);
    position += localHeaderLength(lengths) + lengths.data;
  }
  headerStarts[count] = position;
  for (let index = 0; index < count; index += 1) {
    recordStarts[index] = position;
    position += directoryRecordLength(lengthsOf(index), headerStarts[index]!);
  }
  recordStarts[count] = position;
  const layout = { entries, headerStarts, recordStarts };
  return { ...layout, sizeBytes: position + endLength(directoryOf(layout)) };
}

export function directoryStart({ headerStarts }: Pick<ZipLayout, 'headerStarts'>): number {
  return headerStarts.at(-1)!;
}

export function dataStart({ entries, headerStarts }: ZipLayout, index: number): number {
  return headerStarts[index + 1]! - entries.sizeOf(index);
}

export function endOfEntry({ headerStarts }: ZipLayout, index: number): number {
  return headerStarts[index + 1] ?? directoryStart({ headerStarts });
}

/** The entry count if the position is after all entries. */
export function findEntry({ headerStarts }: ZipLayout, position: number): number {
  return findSlot(headerStarts, position);
}

/** `skip` is in bytes. Returns the number of bytes copied. */
export function copyLocalHeader(layout: ZipLayout, index: number, skip: number, target: Uint8Array): number {
  const length = dataStart(layout, index) - layout.headerStarts[index]!;
  return copyRecord(length, skip, target, (record) =>
    writeLocalHeader(record, 0, layout.entries.entryAt(index)),
  );
}

/** `position` must be in the directory or the end records. */
export function copyDirectory(layout: ZipLayout, position: number, target: Uint8Array): void {
  const { entries, headerStarts, recordStarts, sizeBytes } = layout;
  let copied = 0;
  for (let index = findSlot(recordStarts, position); copied < target.length; index += 1) {
    const start = recordStarts[index]!;
    const length = (recordStarts[index + 1] ?? sizeBytes) - start;
    copied += copyRecord(length, position + copied - start, target.subarray(copied), (record) =>
      index < entries.count
        ? writeDirectoryRecord(record, 0, entries.entryAt(index), headerStarts[index]!)
        : writeEnd(record, 0, directoryOf(layout)),
    );
  }
}

function copyRecord(
  length: number,
  skip: number,
  target: Uint8Array,
  write: (record: Uint8Array) => void,
): number {
  if (skip === 0 && target.length >= length) {
    write(target);
    return length;
  }
  const record = new Uint8Array(length);
  write(record);
  const part = record.subarray(skip, skip + target.length);
  target.set(part);
  return part.length;
}

function directoryOf({ entries, headerStarts, recordStarts }: Omit<ZipLayout, 'sizeBytes'>): DirectoryFacts {
  const start = directoryStart({ headerStarts });
  return { count: entries.count, start, sizeBytes: recordStarts.at(-1)! - start };
}

/** Starts are strictly ascending. */
function findSlot(starts: Float64Array, position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
