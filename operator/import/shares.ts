import { MAX_FILES_PER_TRANSFER, MESSAGE_MAX, TITLE_MAX } from '../../contracts/plans/limits.ts';
import { isEmail, uniqueEmails } from '../../contracts/values/fields.ts';
import { normaliseFileName, normalisePath } from '../../contracts/values/names/file-names.ts';
import type { ImportedShare } from '../../server/features/imports/index.ts';
import { convertPassword } from './accounts.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import { FileProblem, type StoredFiles } from './reading/stored-files.ts';
import type { SourceFile, SourceShare } from './source.ts';

const RECIPIENTS_MAX = 500;
const OCTETS = 'application/octet-stream';
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i;

export type ReadableFile = {
  /** Unique within the import. */
  sourceId: string;
  label: string;
  location: string[];
  sizeBytes: number;
  originalName: string;
  relativePath: string;
  mimeType: string;
  uploadedAt: number;
};

export type InspectedFiles = { readable: ReadableFile[]; problems: { file: SourceFile; reason: string }[] };

/** Finds the stored files of a share, with their sizes. */
export async function inspectFiles(
  share: SourceShare,
  { stored, now }: { stored: StoredFiles; now: number },
): Promise<InspectedFiles> {
  const inspected: InspectedFiles = { readable: [], problems: [] };
  for (const file of share.files) {
    try {
      inspected.readable.push(await inspectFile(file, { share, stored, now }));
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      inspected.problems.push({ file, reason: error.message });
    }
  }
  return inspected;
}

async function inspectFile(
  file: SourceFile,
  { share, stored, now }: { share: SourceShare; stored: StoredFiles; now: number },
): Promise<ReadableFile> {
  if (file.problem) throw new FileProblem(file.problem);
  const relativePath = normalisePath(file.path);
  if (relativePath === undefined) throw new FileProblem('it is in too many folders');
  const sizeBytes = await stored.inspect(file.location);
  if (file.sizeBytes !== null && file.sizeBytes !== sizeBytes)
    throw new FileProblem(`it has ${sizeBytes} bytes instead of ${file.sizeBytes}`);
  return {
    sourceId: `${share.id}/${file.id}`,
    label: relativePath,
    location: file.location,
    sizeBytes,
    originalName: normaliseFileName(relativePath.slice(relativePath.lastIndexOf('/') + 1)),
    relativePath,
    mimeType: file.mimeType && MIME_TYPE.test(file.mimeType) ? file.mimeType : OCTETS,
    uploadedAt: Math.min(file.modifiedAt ?? share.createdAt ?? now, now),
  };
}

/** Why a share as a whole cannot be imported. */
export function findShareProblem(share: SourceShare): string | undefined {
  if (share.problem) return share.problem;
  if (share.files.length === 0) return 'it has no files';
  if (share.files.length > MAX_FILES_PER_TRANSFER) return `it has more than ${MAX_FILES_PER_TRANSFER} files`;
  return undefined;
}

export function isExpired({ expiresAt }: SourceShare, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

export type ConvertedShare = { transfer: ImportedShare['transfer']; notes: string[] };

/** Returns undefined if its password cannot be verified here: without it, anybody could open the share. */
export async function convertShare(
  share: SourceShare,
  { ownerId, isRehearsal, now }: { ownerId: string; isRehearsal: boolean; now: number },
): Promise<ConvertedShare | undefined> {
  const passwordHash =
    share.password.kind === 'none' ? null : await convertPassword(share.password, { isRehearsal });
  if (passwordHash === undefined) return undefined;
  const notes: string[] = [];
  const title = cleanLine(share.title ?? '', TITLE_MAX);
  const message = cleanText(share.message ?? '', MESSAGE_MAX);
  if ((share.message ?? '').length > MESSAGE_MAX)
    notes.push(`its message was cut to ${MESSAGE_MAX} characters`);
  const valid = uniqueEmails(share.recipients.filter((email) => isEmail(email.trim())));
  const recipients = valid.slice(0, RECIPIENTS_MAX);
  if (recipients.length < uniqueEmails(share.recipients).length)
    notes.push(
      'some of its recipients were left out: their addresses are not valid, or there are more than 500',
    );
  const createdAt = Math.min(share.createdAt ?? now, now);
  const { maxDownloads, downloadCount, expiresAt } = share;
  const transfer = {
    userId: ownerId,
    title: title || null,
    message: message || null,
    createdAt,
    expiresAt,
    passwordHash,
    maxDownloads: maxDownloads === null ? null : toCount(maxDownloads),
    downloadCount: toCount(downloadCount),
    recipients,
  };
  return { transfer, notes };
}

/** As large as the column. */
const COUNT_MAX = 2 ** 31 - 1;

function toCount(count: number): number {
  return Math.min(Math.max(0, count), COUNT_MAX);
}
