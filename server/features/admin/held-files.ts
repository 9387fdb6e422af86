import type { z } from 'zod';
import {
  type BlockedContent,
  type HeldFile,
  listBlockedContents as listBlockedContentsCall,
  listHeldFiles as listHeldFilesCall,
  REVIEWED_FILES_MAX,
  type ReviewedFile,
} from '../../../contracts/admin/scanning.ts';
import type { Context } from '../../context.ts';
import type { ContentRuleRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { toIso } from '../../platform/lib/clock.ts';
import { cutPage, readCursor } from '../../platform/lib/cursor.ts';
import {
  blockContentOf,
  releaseHeldFile as releaseFile,
  unblockContent as unblock,
} from '../scanning/index.ts';
import { type By, noteAct } from './audit.ts';
import { selectBlockedContents, selectHeldFiles, selectReviewedFiles } from './held-file-queries.ts';
import { DEFAULT_LIMIT } from './pages.ts';

type HeldQuery = z.output<NonNullable<typeof listHeldFilesCall.query>>;
type BlockedQuery = z.output<NonNullable<typeof listBlockedContentsCall.query>>;

/** Held files in one state, those found last first. Throws AppError `invalid_input` for an unknown cursor. */
export async function listHeldFiles(
  { db }: Pick<Context, 'db'>,
  query: HeldQuery,
): Promise<{ files: HeldFile[]; next: string | undefined }> {
  const { state = 'infected', cursor, limit = DEFAULT_LIMIT } = query;
  const rows = await selectHeldFiles(db, { state, after: readCursor(cursor, 'found'), limit: limit + 1 });
  const page = { path: listHeldFilesCall.path, query, sort: 'found', limit };
  const { shown, next } = cutPage(rows, page);
  const files = shown.map((row) => ({
    id: row.id,
    state,
    finding: row.finding,
    relativePath: row.relativePath,
    size: row.sizeBytes,
    sha256: row.heldSha256 ?? row.sha256,
    transferId: row.transferId,
    transferTitle: row.title,
    owner: row.username,
    ownerEmail: row.email,
    foundAt: toIso(row.sortKey!),
  }));
  return { files, next };
}

/** Contents that were taken down, the latest first. Throws AppError `invalid_input` for an unknown cursor. */
export async function listBlockedContents(
  { db }: Pick<Context, 'db'>,
  query: BlockedQuery,
): Promise<{ contents: BlockedContent[]; next: string | undefined }> {
  const { cursor, limit = DEFAULT_LIMIT } = query;
  const rows = await selectBlockedContents(db, { after: readCursor(cursor, 'newest'), limit: limit + 1 });
  const page = { path: listBlockedContentsCall.path, query, sort: 'newest', limit };
  const { shown, next } = cutPage(rows, page);
  return { contents: shown.map(presentBlocked), next };
}

/** The first files of a transfer with their checksums. */
export async function reviewFiles({ db }: Pick<Context, 'db'>, transferId: string): Promise<ReviewedFile[]> {
  const rows = await selectReviewedFiles(db, transferId, REVIEWED_FILES_MAX);
  return rows.map(({ id, relativePath, sizeBytes, sha256, heldSha256, state }) => ({
    id,
    relativePath,
    size: sizeBytes,
    sha256: heldSha256 ?? sha256,
    held: state,
  }));
}

type Deciding = { id: string; reason: string; by: By };

/** Lets a file and all others with its content be downloaded. Throws AppError `held_file_not_found`. */
export async function releaseHeldFile(context: Context, { id, reason, by }: Deciding): Promise<void> {
  await transaction(context.db, async (trx) => {
    const createdBy = by.actor.username;
    const file = await releaseFile({ ...context, db: trx }, { fileId: id, reason, createdBy });
    const { transferId, state, finding } = file;
    const sha256 = file.heldSha256 ?? file.sha256;
    await noteAct(trx, {
      ...by,
      action: 'file.release',
      subject: file.relativePath,
      subjectId: id,
      details: { reason, transferId, sha256, state, finding },
    });
  });
}

/** Takes down the content of a file. Throws AppError `file_not_found`, `checksums_pending`. */
export async function blockContent(context: Context, { id, reason, by }: Deciding): Promise<BlockedContent> {
  const rule = await transaction(context.db, async (trx) => {
    const createdBy = by.actor.username;
    const made = await blockContentOf({ ...context, db: trx }, { fileId: id, reason, createdBy });
    const { sha256, fileName, sizeBytes } = made;
    const details = { reason, sha256, sizeBytes };
    await noteAct(trx, { ...by, action: 'content.block', subject: fileName, subjectId: id, details });
    return made;
  });
  return presentBlocked(rule);
}

/** Allows a content again. Throws AppError `content_rule_not_found`. */
export async function unblockContent(context: Context, { id, by }: { id: string; by: By }): Promise<void> {
  await transaction(context.db, async (trx) => {
    const { sha256, fileName } = await unblock({ ...context, db: trx }, id);
    const details = { sha256 };
    await noteAct(trx, { ...by, action: 'content.unblock', subject: fileName, subjectId: id, details });
  });
}

function presentBlocked(rule: ContentRuleRow): BlockedContent {
  const { id, sha256, reason, fileName, sizeBytes, createdBy, createdAt } = rule;
  return {
    id,
    sha256,
    reason,
    fileName,
    size: sizeBytes,
    blockedBy: createdBy,
    blockedAt: toIso(createdAt),
  };
}
