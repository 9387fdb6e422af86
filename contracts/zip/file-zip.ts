import { nameEntries } from './entry-names.ts';
import { ZipEntryTable } from './entry-table.ts';
import {
  copyDirectory,
  copyLocalHeader,
  dataStart,
  directoryStart,
  findEntry,
  layOutZip,
  type ZipLayout,
} from './layout.ts';

export type FileFacts = {
  /** '/'-separated. The zip has a harmless, unique form of it. */
  path: string;
  sizeBytes: number;
  crc32: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  isTimeKnown?: boolean;
  isExecutable?: boolean;
};

/**
 * The zip of these files in this order, as the server lays it out. Positions depend on paths, sizes and which
 * modification times are known. The server knows none of an encrypted transfer, so the positions in its zip can be
 * computed with any `crc32` and `modifiedAt`.
 */
export function layOutFiles(files: readonly FileFacts[]): ZipLayout {
  const table = new ZipEntryTable();
  for (const file of files) table.add(file);
  for (const name of nameEntries(files)) table.addName(name);
  table.trim();
  return layOutZip(table);
}

/** The bytes before an entry's data. */
export function localHeaderBytes(layout: ZipLayout, index: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(dataStart(layout, index) - layout.headerStarts[index]!);
  copyLocalHeader(layout, index, 0, header);
  return header;
}

/** All bytes after the last entry. */
export function directoryBytes(layout: ZipLayout): Uint8Array<ArrayBuffer> {
  const directory = new Uint8Array(layout.sizeBytes - directoryStart(layout));
  copyDirectory(layout, directoryStart(layout), directory);
  return directory;
}

/** A part of an entry's data; `end` is exclusive. `position` is where it starts in the zip. */
export type DataPart = { index: number; start: number; end: number; position: number };

/** Finds the data of entries in a range of the zip; `end` is exclusive. Omits entries without bytes there. */
export function* listDataParts(
  layout: ZipLayout,
  { start, end }: { start: number; end: number },
): Generator<DataPart> {
  const { headerStarts, entries } = layout;
  let index = findEntry(layout, start);
  for (; index < entries.count && headerStarts[index]! < end; index += 1) {
    const dataPosition = dataStart(layout, index);
    const from = Math.max(start, dataPosition);
    const to = Math.min(end, headerStarts[index + 1]!);
    if (from < to) yield { index, start: from - dataPosition, end: to - dataPosition, position: from };
  }
}
