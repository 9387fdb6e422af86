import { formatSize } from './sizes.ts';

/** What an invitation allows. */
export type InvitationLimits = {
  /** Bytes of one file. */
  maxFileSize: number;
  /** Bytes of all that comes in, over all visits or, of a recurring one, in each. */
  maxTotalSize: number;
  maxFiles: number;
  /** Endings without the dot; empty: any. */
  allowedTypes: string[];
};

/** A file as far as an invitation cares. */
export type InvitedFile = { name: string; sizeBytes: number };

/** Why files are refused: the code of the refusal, and what its sentence names. */
export type InvitationBreach = {
  code:
    | 'invited_file_too_large'
    | 'file_type_not_allowed'
    | 'too_many_invited_files'
    | 'invited_total_exceeded';
  details: Record<string, string | number>;
};

/**
 * The first rule of the invitation that these files break, together with what it has taken already; the whole
 * selection is refused then (specification section 5, "Visitor files"). Both sides ask; the server decides.
 */
export function findInvitationBreach(
  files: readonly InvitedFile[],
  { maxFileSize, maxTotalSize, maxFiles, allowedTypes }: InvitationLimits,
  used = { files: 0, bytes: 0 },
): InvitationBreach | undefined {
  for (const { name, sizeBytes } of files) {
    if (sizeBytes > maxFileSize)
      return { code: 'invited_file_too_large', details: { name, size: formatSize(maxFileSize) } };
    if (!isAllowedType(name, allowedTypes))
      return { code: 'file_type_not_allowed', details: { name, types: allowedTypes.join(', ') } };
  }
  if (used.files + files.length > maxFiles)
    return { code: 'too_many_invited_files', details: { count: maxFiles } };
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, used.bytes);
  if (bytes > maxTotalSize)
    return { code: 'invited_total_exceeded', details: { size: formatSize(maxTotalSize) } };
  return undefined;
}

function isAllowedType(name: string, allowedTypes: string[]): boolean {
  const lower = name.toLowerCase();
  return allowedTypes.length === 0 || allowedTypes.some((type) => lower.endsWith(`.${type}`));
}
