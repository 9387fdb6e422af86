import type { z } from 'zod';
import { ADMIN_PAGE_DEFAULT } from '../../../../contracts/admin/pages.ts';
import {
  type BlockedContent,
  type HeldFile,
  type listBlockedContents as listBlockedContentsCall,
  type listHeldFiles as listHeldFilesCall,
  REVIEWED_FILES_MAX,
  type ReviewedFile,
} from '../../../../contracts/admin/scanning.ts';
import type { Page } from '../../../../contracts/values/paging.ts';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/open.ts';
import { isOlderThan } from '../../../platform/db/queries/newest-first.ts';
import type { ContentRuleRow, HeldFileRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { toIso } from '../../../platform/lib/clock.ts';
import { cutPage, type Position, readCursor } from '../../../platform/lib/cursor.ts';
import {
  blockContentOf,
  releaseHeldFile as releaseFile,
  unblockContent as unblock,
} from '../../scanning/index.ts';
import { allVersionsOf, transferIdOf } from '../../transfers/index.ts';
import { type By, recordAct } from '../audit.ts';

type HeldQuery = z.output<NonNullable<typeof listHeldFilesCall.query>>;
type BlockedQuery = z.output<NonNullable<typeof listBlockedContentsCall.query>>;

export async function listHeldFiles({ db }: Pick<Context, 'db'>, query: HeldQuery): Promise<Page<HeldFile>> {
  const { state = 'infected', cursor, limit = ADMIN_PAGE_DEFAULT } = query;
  const rows = await selectHeldFiles(db, { state, after: readCursor(cursor, 'found'), limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: 'found', limit });
  const items = shown.map((row) => ({
    id: row.id,
    state,
    finding: row.finding,
    relativePath: row.relativePath,
    size: row.sizeBytes,
    sha256: row.heldSha256 ?? row.sha256,
    transferId: transferIdOf(row.transferId),
    transferTitle: row.title,
    owner: row.username,
    ownerEmail: row.email,
    foundAt: toIso(row.sortKey!),
  }));
  return { items, nextCursor };
}

export async function listBlockedContents(
  { db }: Pick<Context, 'db'>,
  query: BlockedQuery,
): Promise<Page<BlockedContent>> {
  const { cursor, limit = ADMIN_PAGE_DEFAULT } = query;
  const rows = await selectBlockedContents(db, { after: readCursor(cursor, 'newest'), limit: limit + 1 });
  const { shown, nextCursor } = cutPage(rows, { sort: 'newest', limit });
  return { items: shown.map(presentBlocked), nextCursor };
}

/** Files of the current version first, then those of earlier ones, which can still be downloaded. */
export async function reviewFiles({ db }: Pick<Context, 'db'>, transferId: string): Promise<ReviewedFile[]> {
  const rows: Awaited<ReturnType<typeof selectReviewedFiles>> = [];
  for (const holder of allVersionsOf(transferId))
    rows.push(...(await selectReviewedFiles(db, holder, REVIEWED_FILES_MAX - rows.length)));
  return rows.map(({ id, relativePath, sizeBytes, sha256, heldSha256, state }) => ({
    id,
    relativePath,
    size: sizeBytes,
    sha256: heldSha256 ?? sha256,
    held: state,
  }));
}

type Deciding = { id: string; reason: string; by: By };

/** Releases all files with the same content. Throws AppError `held_file_not_found`. */
export async function releaseHeldFile(context: Context, { id, reason, by }: Deciding): Promise<void> {
  await transaction(context.db, async (trx) => {
    const createdBy = by.actor.username;
    const file = await releaseFile({ ...context, db: trx }, { fileId: id, reason, createdBy });
    const { transferId, state, finding } = file;
    const sha256 = file.heldSha256 ?? file.sha256;
    await recordAct(trx, {
      ...by,
      action: 'file.release',
      subject: file.relativePath,
      subjectId: id,
      details: { reason, transferId, sha256, state, finding },
    });
  });
}

export async function blockContent(context: Context, { id, reason, by }: Deciding): Promise<BlockedContent> {
  const rule = await transaction(context.db, async (trx) => {
    const createdBy = by.actor.username;
    const made = await blockContentOf({ ...context, db: trx }, { fileId: id, reason, createdBy });
    const { sha256, fileName, sizeBytes } = made;
    const details = { reason, sha256, sizeBytes };
    await recordAct(trx, { ...by, action: 'content.block', subject: fileName, subjectId: id, details });
    return made;
  });
  return presentBlocked(rule);
}

export async function unblockContent(context: Context, { id, by }: { id: string; by: By }): Promise<void> {
  await transaction(context.db, async (trx) => {
    const { sha256, fileName } = await unblock({ ...context, db: trx }, id);
    const details = { sha256 };
    await recordAct(trx, { ...by, action: 'content.unblock', subject: fileName, subjectId: id, details });
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

type Slice = { after: Position | undefined; limit: number };

async function selectHeldFiles(db: Db, { state, after, limit }: Slice & { state: HeldFileRow['state'] }) {
  return await db
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .innerJoin('transfers', 'transfers.id', 'heldFiles.transferId')
    .innerJoin('users', 'users.id', 'transfers.userId')
    .select([
      'heldFiles.fileId as id',
      'heldFiles.state',
      'heldFiles.finding',
      'heldFiles.sha256 as heldSha256',
      'heldFiles.foundAt as sortKey',
      'heldFiles.transferId',
      'files.relativePath',
      'files.sizeBytes',
      'files.sha256',
      'transfers.title',
      'users.username',
      'users.email',
    ])
    .where('heldFiles.state', '=', state)
    .where('transfers.status', 'not in', ['draft', 'deleting'])
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'heldFiles.foundAt', id: 'heldFiles.fileId' }, after!)),
    )
    .orderBy('heldFiles.foundAt', 'desc')
    .orderBy('heldFiles.fileId', 'desc')
    .limit(limit)
    .execute();
}

async function selectBlockedContents(db: Db, { after, limit }: Slice) {
  return await db
    .selectFrom('contentRules')
    .selectAll()
    .select('createdAt as sortKey')
    .where('verdict', '=', 'blocked')
    .$if(after !== undefined, (query) =>
      query.where((eb) => isOlderThan(eb, { time: 'createdAt', id: 'id' }, after!)),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

async function selectReviewedFiles(db: Db, transferId: string, limit: number) {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(['files.id', 'relativePath', 'sizeBytes', 'files.sha256'])
    .select(['heldFiles.state', 'heldFiles.sha256 as heldSha256'])
    .where('files.transferId', '=', transferId)
    .where('transfers.status', 'not in', ['draft', 'deleting'])
    .orderBy('position')
    .limit(limit)
    .execute();
}
