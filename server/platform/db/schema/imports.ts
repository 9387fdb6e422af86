import type { Instant } from './column-types.ts';

/** imports: one per imported installation of another product. */
export interface ImportsTable {
  id: string;
  /** Chosen by the operator; by default the product's name. Unique. */
  name: string;
  product: 'pingvin' | 'palmr' | 'gokapi' | 'projectsend';
  /** Derived from the installation, so that another one is not imported under the same name. */
  fingerprint: string | null;
  createdAt: Instant;
}

/** imports: which of our rows an account or a share of the other product became. */
export interface ImportedItemsTable {
  importId: string;
  kind: 'user' | 'transfer';
  sourceId: string;
  targetId: string;
  /** 'joined': the user had an account here already. */
  state: 'created' | 'joined';
  /** Hash of the row as it was imported, to find out whether it was used since. */
  mark: string | null;
  createdAt: Instant;
}

/** imports: blobs that are stored completely but whose transfer is not imported yet. */
export interface ImportedBlobsTable {
  importId: string;
  sourceId: string;
  storageKey: string;
  sizeBytes: number;
  /** Lower-case hex. */
  sha256: string;
  crc32: number;
  createdAt: Instant;
}

/** imports: the address that a share had, e.g. 's/holiday' (`features/imports/addresses.ts`). */
export interface ImportedAddressesTable {
  address: string;
  transferId: string;
}
