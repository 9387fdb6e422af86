import type { SegmentKey } from '../../../../encryption/keys.ts';
import type { Failure } from '../failures.ts';
import type { Claim, WaitsFor } from '../reading/range-source.ts';
import type { PlannedFile } from '../save-plan.ts';

/** Where the plaintext goes. */
export type Target =
  /** Files in a new folder of this one. */
  | { kind: 'folder'; parent: FileSystemDirectoryHandle; name: string }
  /** The folder of an interrupted save, whose files are complete or missing. */
  | { kind: 'started-folder'; root: FileSystemDirectoryHandle }
  | { kind: 'file'; handle: FileSystemFileHandle }
  | { kind: 'staged'; name: string }
  | { kind: 'stream'; port: MessagePort }
  | { kind: 'memory' };

export type SaveJob = {
  /** Absolute. */
  downloadUrl: string;
  downloadBytes: number;
  key: SegmentKey;
  files: PlannedFile[];
  /** Some of the bytes may not have arrived yet. */
  isArriving: boolean;
  target: Target;
  /** From an earlier attempt at the same download. */
  claim: Claim | undefined;
  /** Of every request: the language of refusals. */
  headers: Record<string, string>;
};

export type ToSaver =
  /** Asks whether files can be staged here. */
  | { kind: 'probe' }
  | { kind: 'start'; job: SaveJob }
  | { kind: 'pause' }
  | { kind: 'resume' }
  | { kind: 'cancel' }
  | { kind: 'worker-ended' };

export type SaveResult =
  | { kind: 'folder'; name: string; fileCount: number }
  | { kind: 'file' }
  | { kind: 'staged' }
  | { kind: 'stream' }
  | { kind: 'memory'; blob: Blob };

export type FromSaverToPage =
  | { kind: 'probed'; canStage: boolean }
  | { kind: 'claimed'; claim: Claim }
  | { kind: 'folder-created'; root: FileSystemDirectoryHandle }
  /** Begins with what an earlier attempt has saved. */
  | { kind: 'progress'; savedBytes: number; totalBytes: number }
  | { kind: 'waiting'; waitsFor: WaitsFor | undefined }
  /** Everything is written. Browsers check files before they close them. */
  | { kind: 'closing' }
  /** The browser may request the stream. */
  | { kind: 'stream-ready' }
  | { kind: 'done'; result: SaveResult }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'canceled' };
