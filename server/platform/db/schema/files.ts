import type { Generated } from 'kysely';
import type { Instant } from './column-types.ts';

/** scanning: files that cannot be downloaded, and why. A file that can be downloaded has no row. */
export interface HeldFilesTable {
  fileId: string;
  transferId: string;
  /** The owner of the transfer. Owners take turns at the scanner. */
  userId: string;
  state: 'waiting' | 'unscanned' | 'infected' | 'blocked';
  /** The scanner's name for an infection, or an `UnscannedReason`. */
  finding: string | null;
  /** SHA-256 of the stored bytes; null until they have been read. */
  sha256: string | null;
  /** Incremented before each attempt, so that a file that crashes the scanner doesn't block others. */
  attempts: Generated<number>;
  createdAt: Instant;
  /** When it got its current state; null while waiting. */
  foundAt: Instant | null;
  /** notices: when the owner was notified that the file is blocked. */
  toldAt: Instant | null;
}

/** scanning: contents that administrators have blocked or released. */
export interface ContentRulesTable {
  id: string;
  sha256: string;
  verdict: 'blocked' | 'released';
  reason: string;
  /** Name, size and CRC-32 are those of the file the decision was made for. */
  fileName: string;
  sizeBytes: number;
  /** With `sizeBytes`, finds new files that may have the same content before their SHA-256 is known. */
  crc32: number;
  /** For a released file: what the scanner had found. */
  finding: string | null;
  /** The administrator's username. */
  createdBy: string;
  createdAt: Instant;
}

/** previews: the detected type of each file, and the state of its thumbnail. */
export interface FilePreviewsTable {
  fileId: string;
  /** null: has no preview. */
  kind: 'image' | 'pdf' | 'video' | 'audio' | 'text' | null;
  /** Detected from the first bytes, never the type that the sender declared. */
  mimeType: string | null;
  /** 'none': no thumbnail will be rendered. */
  state: 'none' | 'waiting' | 'done' | 'failed';
  /** Lower ranks are rendered first. */
  rank: number;
  /** Incremented before each attempt to render. */
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
  /** The larger picture for the lightbox. */
  previewStorageKey: string | null;
  previewSizeBytes: number | null;
}
