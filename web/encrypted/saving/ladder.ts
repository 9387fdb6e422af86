import { MIB } from '../../../contracts/values/sizes.ts';

/** What the user wants: one file as it is, several in a folder or as a zip. */
export type Form = 'file' | 'folder' | 'zip';

/** Ways to save, best first; see docs/architecture/encrypted-page.md. 'none': only the encrypted zip. */
export type Rung = 'folder' | 'staged' | 'file' | 'stream' | 'memory' | 'none';

const MEMORY_MAX_BYTES = 256 * MIB;
/** Browsers fill up to their quota, but other data of this site needs some of it, too. */
const QUOTA_MARGIN_BYTES = 16 * MIB;

export type Abilities = {
  canPickFolder: boolean;
  canPickFile: boolean;
  /** Bytes that the origin's private file system can take; 0 without one. */
  stagingBytes: number;
  canStream: boolean;
};

/** `stagedBytes`: of an earlier attempt, which count against the quota already. */
export function chooseRung(
  form: Form,
  outputBytes: number,
  { canPickFolder, canPickFile, stagingBytes, canStream }: Abilities,
  stagedBytes = 0,
): Rung {
  if (form === 'folder' && canPickFolder) return 'folder';
  if (outputBytes - stagedBytes + QUOTA_MARGIN_BYTES <= stagingBytes) return 'staged';
  if (canPickFile) return 'file';
  if (canStream) return 'stream';
  return outputBytes <= MEMORY_MAX_BYTES ? 'memory' : 'none';
}
