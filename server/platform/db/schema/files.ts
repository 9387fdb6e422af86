import type { Generated } from 'kysely';
import type { Instant } from './column-types.ts';

/** scanning: only files that cannot be downloaded have a row. */
export interface HeldFilesTable {
  fileId: string;
  transferId: string;
  /** Owners take turns at the scanner. */
  userId: string;
  state: 'waiting' | 'unscanned' | 'infected' | 'blocked';
  /** The scanner's name for an infection, or an `UnscannedReason`. */
  finding: string | null;
  sha256: string | null;
  /** Incremented before each attempt, so that a file that crashes the scanner doesn't block others. */
  attempts: Generated<number>;
  createdAt: Instant;
  /** When it got its current state; null while waiting. */
  foundAt: Instant | null;
  toldAt: Instant | null;
}

/** scanning: contents that administrators have blocked or released. */
export interface ContentRulesTable {
  id: string;
  sha256: string;
  verdict: 'blocked' | 'released';
  reason: string;
  fileName: string;
  sizeBytes: number;
  /** Finds possible matches before their SHA-256 is known. */
  crc32: number;
  /** For a released file: the scanner's finding. */
  finding: string | null;
  /** A username. */
  createdBy: string;
  createdAt: Instant;
}

/** previews */
export interface FilePreviewsTable {
  fileId: string;
  /** Null: has no preview. */
  kind: 'image' | 'pdf' | 'video' | 'audio' | 'text' | null;
  /** From the first bytes, never the type that the sender declared. */
  mimeType: string | null;
  /** 'none': not renderable. */
  state: 'none' | 'waiting' | 'done' | 'failed';
  /** Lower ranks are rendered first. */
  rank: number;
  /** Incremented before each attempt. */
  attempts: Generated<number>;
  createdAt: Instant;
}

/** previews */
export interface FileThumbnailsTable {
  id: string;
  fileId: string;
  storageKey: string;
  mimeType: string;
  width: number;
  height: number;
  sizeBytes: number;
  createdAt: Instant;
  /** For the lightbox. */
  previewStorageKey: string | null;
  previewSizeBytes: number | null;
}
