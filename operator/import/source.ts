import type { ImportRow } from '../../server/features/imports/index.ts';

export type Product = ImportRow['product'];

/** What another product stores, in one shape for all of them. */
export type SourcePassword =
  | { kind: 'none' }
  | { kind: 'hash'; hash: string }
  | { kind: 'sha1'; digest: string; salt: string };

export const NO_PASSWORD: SourcePassword = { kind: 'none' };

export type SourceUser = {
  id: string;
  username: string;
  /** Null if the product does not know it. */
  email: string | null;
  name: string;
  password: SourcePassword;
  isAdmin: boolean;
  isActive: boolean;
  createdAt: number | null;
};

export type SourceFile = {
  /** Unique within the share. */
  id: string;
  /** '/'-separated, as people named it. Not trusted. */
  path: string;
  /** Folders and name below the folder of stored files. Not trusted. */
  location: string[];
  /** Null if the product does not store it. */
  sizeBytes: number | null;
  mimeType: string | null;
  modifiedAt: number | null;
  /** Why it cannot be imported. */
  problem?: string;
};

export type SourceShare = {
  id: string;
  /** For the report. */
  label: string;
  ownerId: string | null;
  title: string | null;
  message: string | null;
  createdAt: number | null;
  /** Null: never. */
  expiresAt: number | null;
  password: SourcePassword;
  maxDownloads: number | null;
  downloadCount: number;
  recipients: string[];
  /** From `oldAddress`. */
  addresses: string[];
  files: SourceFile[];
  /** Why it cannot be imported. */
  problem?: string;
};

/** A row that cannot be read. */
export type Unreadable = { id: string; unreadable: string };

/** Data of the other product that has no place here. */
export type NotKept = { what: string; count: number };

export interface Source {
  /** Differs between two installations of the same product; null if nothing does. */
  readonly fingerprint: string | null;
  /** Above all locations of files. */
  readonly filesFolder: string;
  /** Things the operator should know before the import. */
  readonly notices: string[];
  users(): Generator<SourceUser | Unreadable>;
  shares(): Generator<SourceShare | Unreadable>;
  listNotKept(): NotKept[];
  close(): void;
}

export type SourceOptions = {
  /** The folder given with `--from`. */
  from: string;
  /** A copy of a bucket's files, given with `--files`. */
  files: string | undefined;
  /** Ours, removed when the command ends. */
  scratch: string;
};

export type OpenSource = (options: SourceOptions) => Promise<Source>;
