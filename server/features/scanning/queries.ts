import type { Db, Trx } from '../../platform/db/open.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { ContentRuleRow, FileRow, HeldFileRow } from '../../platform/db/schema.ts';
import { VERIFIED_COLUMNS, type VerifiedFile } from '../checksums/index.ts';

/** Well below the limit of parameters per statement. */
const ROWS_PER_STATEMENT = 500;

export type NewHeldFile = Pick<
  HeldFileRow,
  'fileId' | 'transferId' | 'userId' | 'state' | 'finding' | 'createdAt' | 'foundAt'
>;

export async function insertHeldFiles(trx: Trx, rows: NewHeldFile[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + ROWS_PER_STATEMENT);
    await trx.insertInto('heldFiles').values(some).execute();
  }
}

/** Files with the length and CRC-32 of taken-down content. Only their SHA-256 is proof. */
export async function findLikelyBlocked<File extends Pick<FileRow, 'crc32' | 'sizeBytes'>>(
  db: Db,
  files: File[],
): Promise<File[]> {
  const blocked = new Set<string>();
  for (let start = 0; start < files.length; start += ROWS_PER_STATEMENT) {
    const sums = files.slice(start, start + ROWS_PER_STATEMENT).map(({ crc32 }) => crc32);
    const rules = await db
      .selectFrom('contentRules')
      .select(['crc32', 'sizeBytes'])
      .where('crc32', 'in', sums)
      .where('verdict', '=', 'blocked')
      .execute();
    for (const { crc32, sizeBytes } of rules) blocked.add(`${crc32}:${sizeBytes}`);
  }
  return files.filter(({ crc32, sizeBytes }) => blocked.has(`${crc32}:${sizeBytes}`));
}

export type WaitingFile = VerifiedFile & Pick<HeldFileRow, 'transferId' | 'attempts'>;

/** Fewest attempts first, so that a file on which the scanner fails does not delay others. */
export async function listWaitingFiles(db: Db, userId: string, limit: number): Promise<WaitingFile[]> {
  return await selectWaiting(db, userId)
    .orderBy('heldFiles.attempts')
    .orderBy('heldFiles.createdAt')
    .limit(limit)
    .execute();
}

export async function listLongWaitingFiles(
  db: Db,
  { userId, heldBefore, limit }: { userId: string; heldBefore: Instant; limit: number },
): Promise<WaitingFile[]> {
  return await selectWaiting(db, userId)
    .where('heldFiles.createdAt', '<=', heldBefore)
    .orderBy('heldFiles.createdAt')
    .limit(limit)
    .execute();
}

function selectWaiting(db: Db, userId: string) {
  return db
    .selectFrom('heldFiles')
    .innerJoin('files', 'files.id', 'heldFiles.fileId')
    .innerJoin('transfers', 'transfers.id', 'heldFiles.transferId')
    .select(VERIFIED_COLUMNS.map((column) => `files.${column}` as const))
    .select(['heldFiles.transferId', 'heldFiles.attempts'])
    .where('heldFiles.userId', '=', userId)
    .where('heldFiles.state', '=', 'waiting')
    .where('transfers.status', '!=', 'deleting');
}

export async function countAttempt(db: Db, fileId: string): Promise<void> {
  await db
    .updateTable('heldFiles')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('fileId', '=', fileId)
    .execute();
}

type Decision = Pick<HeldFileRow, 'state' | 'finding' | 'sha256' | 'foundAt'>;

/** Records a result for a file in one of these states. Returns false if it is in another. */
export async function updateHeldFile(
  trx: Trx,
  { fileId, from }: { fileId: string; from: HeldFileRow['state'][] },
  decision: Partial<Decision>,
): Promise<boolean> {
  const row = await trx
    .updateTable('heldFiles')
    .set(decision)
    .where('fileId', '=', fileId)
    .where('state', 'in', from)
    .returning('fileId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases a file in one of these states. Returns false if it is in another. */
export async function deleteHeldFile(
  trx: Trx,
  { fileId, from }: { fileId: string; from: HeldFileRow['state'][] },
): Promise<boolean> {
  const row = await trx
    .deleteFrom('heldFiles')
    .where('fileId', '=', fileId)
    .where('state', 'in', from)
    .returning('fileId')
    .executeTakeFirst();
  return row !== undefined;
}

type Blocked = Pick<HeldFileRow, 'fileId' | 'transferId' | 'userId'> & { sha256: string; now: Instant };

export async function blockFile(
  trx: Trx,
  { fileId, transferId, userId, sha256, now }: Blocked,
): Promise<void> {
  const decision = { state: 'blocked' as const, finding: null, sha256, foundAt: now, toldAt: null };
  await trx
    .insertInto('heldFiles')
    .values({ fileId, transferId, userId, createdAt: now, ...decision })
    .onConflict((conflict) => conflict.column('fileId').doUpdateSet(decision))
    .execute();
}

export async function hasHeldFile(
  trx: Trx,
  transferId: string,
  state: HeldFileRow['state'],
): Promise<boolean> {
  const row = await trx
    .selectFrom('heldFiles')
    .select('fileId')
    .where('transferId', '=', transferId)
    .where('state', '=', state)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findNextWaitingOwner(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('heldFiles')
    .select('userId')
    .where('userId', '>', after)
    .where('state', '=', 'waiting')
    .orderBy('userId')
    .limit(1)
    .executeTakeFirst();
  return row?.userId;
}

export async function listRetryable(
  db: Db,
  { findings, maxAttempts, limit }: { findings: string[]; maxAttempts: number; limit: number },
): Promise<Pick<HeldFileRow, 'fileId' | 'transferId' | 'userId'>[]> {
  return await db
    .selectFrom('heldFiles')
    .select(['fileId', 'transferId', 'userId'])
    .where('state', '=', 'unscanned')
    .where('finding', 'in', findings)
    .where('attempts', '<', maxAttempts)
    .limit(limit)
    .execute();
}

export type FoundFile = Pick<
  FileRow,
  'id' | 'transferId' | 'relativePath' | 'sizeBytes' | 'crc32' | 'sha256'
> & {
  userId: string;
  state: HeldFileRow['state'] | null;
  finding: string | null;
  heldSha256: string | null;
};

/** Returns undefined if the file's transfer is being deleted. */
export async function findFile(db: Db, fileId: string): Promise<FoundFile | undefined> {
  return await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .leftJoin('heldFiles', 'heldFiles.fileId', 'files.id')
    .select(['files.id', 'files.transferId', 'relativePath', 'sizeBytes', 'crc32', 'files.sha256'])
    .select(['transfers.userId', 'heldFiles.state', 'heldFiles.finding', 'heldFiles.sha256 as heldSha256'])
    .where('files.id', '=', fileId)
    .where('transfers.status', '!=', 'deleting')
    .executeTakeFirst();
}

type OfContent = { sha256: string; after: string; limit: number };

export async function listFilesOfContent(
  db: Db,
  { sha256, after, limit }: OfContent,
): Promise<{ fileId: string; transferId: string }[]> {
  return await db
    .selectFrom('files')
    .select(['id as fileId', 'transferId'])
    .where('sha256', '=', sha256)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function listHeldOfContent(
  db: Db,
  { sha256, states, limit }: { sha256: string; states: HeldFileRow['state'][]; limit: number },
): Promise<Pick<HeldFileRow, 'fileId' | 'transferId' | 'userId'>[]> {
  return await db
    .selectFrom('heldFiles')
    .select(['fileId', 'transferId', 'userId'])
    .where('sha256', '=', sha256)
    .where('state', 'in', states)
    .limit(limit)
    .execute();
}

export async function findRule(db: Db, sha256: string): Promise<ContentRuleRow | undefined> {
  return await db.selectFrom('contentRules').selectAll().where('sha256', '=', sha256).executeTakeFirst();
}

/** The latest decision about a content replaces earlier ones. */
export async function upsertRule(trx: Trx, rule: ContentRuleRow): Promise<ContentRuleRow> {
  const { id: _id, ...changes } = rule;
  return await trx
    .insertInto('contentRules')
    .values(rule)
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteBlockedRule(trx: Trx, id: string): Promise<ContentRuleRow | undefined> {
  return await trx
    .deleteFrom('contentRules')
    .where('id', '=', id)
    .where('verdict', '=', 'blocked')
    .returningAll()
    .executeTakeFirst();
}
