import type { BlobSlice } from '../lib/byte-source.ts';
import { ZipEntryTable } from './entry-table.ts';
import type { ZipEntry } from './records.ts';

export function makeTable(entries: (ZipEntry & Partial<BlobSlice>)[]): ZipEntryTable {
  const table = new ZipEntryTable();
  for (const [position, entry] of entries.entries())
    table.add({ storageKey: 'blob', offset: 0, ...entry, position });
  for (const { path } of entries) table.addName(path);
  return table;
}
