import type { BlobSlice } from '../lib/byte-source.ts';
import { StoredEntryTable } from './stored-entries.ts';

type Entry = { path: string; sizeBytes: number; crc32: number; modifiedAt: number };

export function makeTable(entries: (Entry & Partial<BlobSlice>)[]): StoredEntryTable {
  const table = new StoredEntryTable();
  for (const [position, entry] of entries.entries())
    table.add({ storageKey: 'blob', offset: 0, ...entry, position });
  for (const { path } of entries) table.addName(path);
  return table;
}
